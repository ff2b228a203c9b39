#pragma once

// What a fusion is worth. The fuse pass finds out what may be fused; a cost model, chosen by
// `fuse{cost-model=NAME}`, decides what should be.

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "wick/ir/graph.h"
#include "wick/ir/index_map.h"
#include "wick/passes/fusion_objection.h"

namespace wick::passes {

struct Cluster;
class FusionClusters;

/// What keeps kernels small enough to compile fast, whatever they would gain.
struct FusionLimits {
  int64_t max_ops = 256;
  /// Of these, ops such as `exp`, as length_of_code() counts them.
  int64_t max_costly = 24;
  /// Values that are read; of those of one element, which are read once, four count as one.
  int64_t max_operands = 48;
  /// Operands of a concat in a kernel, where each element asks which it is from.
  int64_t max_concat = 8;
  /// Bytes of a concat's rows, to each of which each operand gives a run, from which one that no
  /// other op shares a kernel with is left to what copies memory.
  int64_t copied_row = 384;
  /// Whether a kernel may evaluate an op such as `exp` at several positions for one of its own.
  bool recompute_costly = false;
  /// Whether a kernel that walks rows may also reduce over the rows. On a GPU rows run side by
  /// side, and it may not.
  bool columns_with_rows = true;
};

/// The most that length_of_code() gives.
inline constexpr int64_t kLongestCode = 4;

/// How many ops such as `exp` the op's code is as long as, to within one.
int64_t length_of_code(const ir::Node& op);

/// What counts as one operand of a kernel, in weights of values.
inline constexpr int64_t kWeightOfOperand = 4;

int64_t operand_weight(const ir::Node& value);

/// How long it takes to evaluate the op, in sums: none for what only moves the reader's positions.
int64_t evaluation_cost(const ir::Node& op);

/// Ops that would be one kernel, or are one already. The fuse pass asks about each pair of groups:
/// what is not said to be O(1) walks the group, and is better not asked when something else
/// decides.
class FusionGroup {
 public:
  FusionGroup(const FusionClusters& clusters, int first, int second, const ir::Domain& domain);

  /// O(1).
  [[nodiscard]] int64_t num_ops() const;
  /// In topological order. Some are copies: other groups compute them as well.
  [[nodiscard]] std::vector<const ir::Node*> ops() const;
  /// Values from elsewhere, in topological order, without constants of one element's value.
  [[nodiscard]] std::vector<const ir::Node*> operands() const;
  /// Ops whose values are stored, for other groups or as results of the graph.
  [[nodiscard]] std::vector<const ir::Node*> results() const;
  /// Bytes of the operands and of the results.
  [[nodiscard]] int64_t bytes_moved() const;

  /// O(1). The positions that the kernel walks; rows and what is in them for a reduction.
  [[nodiscard]] const ir::Domain& domain() const { return *domain_; }

  /// O(1).
  [[nodiscard]] bool has_reduction() const;
  /// O(1).
  [[nodiscard]] bool has_permute() const;

 private:
  /// Whether one of the clusters has this.
  [[nodiscard]] bool has(bool Cluster::* what) const;

  const FusionClusters* clusters_;
  int first_;
  int second_;  // FusionClusters::kNone for a group that is there already
  const ir::Domain* domain_;
};

/// Two groups that may become one kernel.
struct MergeCandidate {
  /// producer: the second group reads the first. siblings: both read a value, neither the other.
  enum class Kind : uint8_t { producer, siblings };

  Kind kind;
  /// The ops, one of either group, for whose sake it is asked.
  const ir::Node& first_op;
  const ir::Node& second_op;
  FusionGroup first;
  FusionGroup second;
  FusionGroup fused;
  /// Evaluations of ops at other positions than their own, each by its evaluation_cost().
  int64_t recomputed_ops = 0;
  /// One group walks rows, the other reduces over them: partial results, one for each position of a
  /// row, are loaded and stored again for each row.
  bool columns_with_rows = false;

  /// Memory traffic that the merge does away with. Walks all three groups.
  [[nodiscard]] int64_t bytes_saved() const;
};

/// A value that a group loads, and that it may compute itself from what the value is made of. The
/// group that stores it now goes on doing so for its other readers.
class RecomputeCandidate {
 public:
  /// `nodes` compute the value inside its group, in topological order.
  RecomputeCandidate(const FusionClusters& clusters,
                     const ir::Node& value,
                     int reader,
                     std::span<ir::Node* const> nodes);

  [[nodiscard]] const ir::Node& value() const { return *value_; }

  [[nodiscard]] std::span<ir::Node* const> ops() const { return nodes_; }

  [[nodiscard]] FusionGroup reader() const;
  /// An op is ir::kCostly.
  [[nodiscard]] bool is_costly() const;
  /// The value is made of random bits, and of no other costly op.
  [[nodiscard]] bool is_random() const;
  /// Nobody else reads the value from memory.
  [[nodiscard]] bool is_only_reader() const;
  /// How many groups read it from memory; ops by themselves and the graph's results are one.
  [[nodiscard]] int64_t num_readers() const;
  /// For an op by itself or as a result of the graph, whatever groups do.
  [[nodiscard]] bool is_stored_anyway() const;
  /// Some op of the reader reads one element of the value several times.
  [[nodiscard]] bool is_repeated() const;
  /// The value is needed nowhere else: it is computed here instead of there.
  [[nodiscard]] bool is_move() const;
  /// A move that takes all ops along: none of them is needed where they are now.
  [[nodiscard]] bool is_complete_move() const;
  /// What the group of the value has to store for it, beyond what it stores already.
  [[nodiscard]] int64_t bytes_stored() const;
  /// What the reader has to load for it, beyond what it loads already, and bytes_stored().
  [[nodiscard]] int64_t bytes_loaded() const;
  /// The load of the value, and its store when nobody else needs it.
  [[nodiscard]] int64_t bytes_saved() const;

 private:
  [[nodiscard]] bool is_needed_at_home(const ir::Node& node) const;
  [[nodiscard]] std::vector<const ir::Node*> leaves() const;

  const FusionClusters* clusters_;
  const ir::Node* value_;
  int home_;
  int reader_;
  std::span<ir::Node* const> nodes_;
};

/// Asked about fusions that the rules allow, in the order of the pass: producers join their
/// consumers, loads are replaced by recomputation, siblings are merged. Must be a pure function of
/// the candidate, so that a program compiles alike in every process. Called from many threads.
class FusionCostModel {
 public:
  FusionCostModel() = default;
  FusionCostModel(const FusionCostModel&) = delete;
  FusionCostModel& operator=(const FusionCostModel&) = delete;
  virtual ~FusionCostModel() = default;

  [[nodiscard]] virtual std::string_view name() const = 0;

  /// The options `max-ops` and `max-operands` of the fuse pass go before it.
  [[nodiscard]] virtual FusionLimits limits() const { return {}; }

  /// Whether two groups should be one kernel.
  [[nodiscard]] virtual Objection merge(const MergeCandidate& candidate) const = 0;
  /// Whether a value should be computed where it is read. Asked before the rules that walk the
  /// reader's positions, which may still forbid it.
  [[nodiscard]] virtual Objection recompute(const RecomputeCandidate& candidate) const = 0;

  /// Asked last, where the rules allow it: how many ops the reader evaluates at each of its
  /// positions besides the candidate's, by their evaluation_cost(), since it reads several elements
  /// of the value.
  [[nodiscard]] virtual Objection evaluate(const RecomputeCandidate& /*candidate*/,
                                           int64_t /*more_ops*/) const {
    return {};
  }
};

/// Throws std::invalid_argument when the name is taken. A plug-in registers its models before the
/// first use of Wick. Thread-safe.
void register_fusion_cost_model(std::unique_ptr<FusionCostModel> model);

/// Throws std::invalid_argument with the nearest name. Built in is "memory-traffic", which other
/// models may ask what it thinks. The model lives as long as the process.
const FusionCostModel& find_fusion_cost_model(std::string_view name);

/// The model of a fuse pass that names none.
inline constexpr std::string_view kDefaultFusionCostModel = "memory-traffic";

}  // namespace wick::passes
