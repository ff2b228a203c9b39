#pragma once

// Groups of ops that the fuse pass has decided to make one kernel each, and the rules by which two
// groups may become one. Whether they should is up to a FusionCostModel.

#include <cstdint>
#include <span>
#include <vector>

#include "wick/ir/graph.h"
#include "wick/ir/index_map.h"
#include "wick/passes/fusion_cost_model.h"

namespace wick::passes {

/// Ops that are computed together at the positions of one domain. `members` are aligned with the
/// positions, so that their values can be stored; `copies` are recomputed wherever members read
/// them and belong to another cluster.
struct Cluster {
  std::vector<ir::Node*> members;
  std::vector<ir::Node*> copies;
  ir::Domain domain;
  bool row = false;        // holds a reduction
  bool columns = false;    // holds one over the rows of the others, of Level::column
  bool dependent = false;  // a value at every position depends on a value of its row
  bool permutes = false;   // holds a permute
  int part = 0;            // of Parts, where its members are of one
  int first = 0;           // smallest and largest canonical position of its members
  int last = 0;
  /// As MergeCandidate has it.
  int64_t recomputed_ops = 0;
};

/// By Node::id, the part that an op belongs to, from 1, and 0 for ops of none: ops of different
/// parts stay in different clusters.
using Parts = std::vector<int>;

class FusionClusters {
 public:
  using Level = ir::Domain::Level;
  static constexpr int kNone = -1;

  /// How merge() looks for paths that lead out of two clusters and back. `nearby` leaves out what
  /// lies behind the goal, which is wrong in the rare case that a cluster both begins before the
  /// goal and is read behind it; `everywhere` leaves out nothing, and gives up sooner.
  enum class CycleSearch : uint8_t { nearby, everywhere };

  /// Every op that kernels can compute starts as a cluster of its own. The model has to live as
  /// long.
  FusionClusters(ir::Graph& graph,
                 FusionLimits limits,
                 const FusionCostModel& model,
                 const Parts& parts = {},
                 CycleSearch cycle_search = CycleSearch::nearby);

  /// All nodes, topologically, in an order that does not depend on the order of writing.
  [[nodiscard]] const std::vector<ir::Node*>& order() const { return order_; }

  /// Above every Node::id.
  [[nodiscard]] size_t id_bound() const { return position_.size(); }

  [[nodiscard]] int position(const ir::Node& node) const { return position_[index(node)]; }

  /// The cluster that a node is a member of; kNone for ops that stay by themselves.
  [[nodiscard]] int home(const ir::Node& node) const { return home_[index(node)]; }

  [[nodiscard]] bool is_inside(const ir::Node& node, int cluster) const;

  /// The clusters that have a copy of the node.
  [[nodiscard]] const std::vector<int>& copied_into(const ir::Node& node) const {
    return copied_into_[index(node)];
  }

  [[nodiscard]] Level level(const ir::Node& node) const { return level_[index(node)]; }

  [[nodiscard]] const Cluster& cluster(int number) const {
    return clusters_[static_cast<size_t>(number)];
  }

  /// Clusters that were merged away have no members.
  [[nodiscard]] int num_clusters() const { return static_cast<int>(clusters_.size()); }

  /// A constant with one value everywhere: cloned into every body that reads it.
  [[nodiscard]] bool is_free(const ir::Node& node) const { return free_[index(node)]; }

  /// Members and copies; none for kNone.
  [[nodiscard]] int64_t num_ops(int cluster) const;
  /// Of these, ops of long code, as FusionLimits::max_costly counts them.
  [[nodiscard]] int64_t num_costly(int cluster) const;

  /// Nodes read by members and copies from outside, by canonical position; of two clusters as if
  /// they were one.
  [[nodiscard]] std::vector<ir::Node*> operands(int cluster, int other = kNone) const;

  [[nodiscard]] bool is_result(const ir::Node& node) const { return is_result_[index(node)]; }

  /// Clusters that read the value of the node from memory, sorted, each once; kNone stands for ops
  /// that stay by themselves and for the results of the graph.
  [[nodiscard]] std::vector<int> outside_readers(const ir::Node& node) const;

  /// The cluster reads the node's value from memory, and nothing else does.
  [[nodiscard]] bool is_only_outside_reader(const ir::Node& node, int cluster) const;

  /// Some op inside the cluster reads the node.
  [[nodiscard]] bool is_read_inside(const ir::Node& node, int cluster) const;

  /// Some op inside the cluster reads the node and is none of `nodes`.
  [[nodiscard]] bool is_read_inside_by_others(const ir::Node& node,
                                              int cluster,
                                              std::span<ir::Node* const> nodes) const;

  /// The members of clusters that read the node, in canonical order, and the first member of those
  /// that have a copy of such a one.
  [[nodiscard]] std::vector<ir::Node*> readers(const ir::Node& node) const;

  /// The value is not computed any more.
  [[nodiscard]] bool is_dead(const ir::Node& node) const { return dead_[index(node)]; }

  /// Merges the clusters of two ops if the rules and the cost model allow.
  Objection merge(const ir::Node& producer, const ir::Node& consumer);
  /// The same for clusters of which neither reads the other: it must not store too many values.
  Objection merge_siblings(const ir::Node& one, const ir::Node& other);
  /// Recomputes `value` wherever the cluster reads it. `nodes`, members of the value's cluster,
  /// compute it.
  Objection copy_into(int cluster, const ir::Node& value, const std::vector<ir::Node*>& nodes);
  /// Makes the node one that stays by itself.
  void evict(ir::Node& node);
  /// Drops the members and copies that no stored value needs.
  void prune_unused();

  /// What FusionLimits says of the cluster.
  [[nodiscard]] bool is_within(int cluster, const FusionLimits& limits) const;

  /// Whether ops stayed out of the cluster of what they read for what FusionLimits says of both.
  [[nodiscard]] bool met_limits() const { return met_limits_; }

  /// Bytes that the clusters read and store.
  [[nodiscard]] int64_t bytes_moved() const;

  /// Steps taken so far: near-linear in the size of the graph.
  [[nodiscard]] int64_t work() const { return work_; }

 private:
  /// False as soon as `visit(reader)` is, for each reading; a reader may come several times.
  template <class Visit>
  bool all_outside_readers(const ir::Node& node, Visit visit) const;

  /// Two clusters as they would be together.
  struct Trial {
    int a = kNone;
    int b = kNone;
    ir::Domain domain;
    Level level_a = Level::full;  // of the members of a cluster without reductions
    Level level_b = Level::full;
    int columns = kNone;  // the cluster whose rows are the other's columns
    bool dependent = false;
    int64_t recomputed_ops = 0;
  };

  [[nodiscard]] static size_t index(const ir::Node& node) { return static_cast<size_t>(node.id()); }

  void sort_nodes();
  void make_singletons(const Parts& parts);
  [[nodiscard]] bool is_fusible(const ir::Node& node) const;
  [[nodiscard]] bool holds(const Trial& trial, const ir::Node& node) const;
  [[nodiscard]] Level level_in(const Trial& trial, const ir::Node& node) const;
  [[nodiscard]] Objection align(Trial& trial, const ir::Node& first, const ir::Node& second) const;
  [[nodiscard]] Objection align_columns(Trial& trial) const;
  [[nodiscard]] Objection check_levels(Trial& trial);
  [[nodiscard]] Objection check_reductions(Trial& trial) const;
  /// The objection to evaluating the trial's members and the copies they read.
  [[nodiscard]] Objection check_evaluation(Trial& trial);
  [[nodiscard]] Objection check_limits(const Trial& trial, const FusionLimits& limits) const;
  [[nodiscard]] Objection check_parts(const Trial& trial) const;
  [[nodiscard]] std::vector<int> operand_positions(const Trial& trial) const;
  [[nodiscard]] int64_t weight_of_operands(const Trial& trial) const;
  [[nodiscard]] int64_t count_outputs(int cluster) const;
  [[nodiscard]] bool closes_cycle(int from, int to);
  Objection merge(const ir::Node& first, const ir::Node& second, MergeCandidate::Kind kind);
  void join(const Trial& trial);

  ir::Graph& graph_;
  FusionLimits limits_;
  const FusionCostModel& model_;
  CycleSearch cycle_search_;
  std::vector<ir::Node*> order_;
  std::vector<int> position_;  // this and the next ones by Node::id
  std::vector<int> home_;
  std::vector<Level> level_;
  std::vector<bool> free_;
  std::vector<bool> is_result_;
  std::vector<bool> dead_;
  std::vector<std::vector<int>> users_;
  std::vector<std::vector<int>> copied_into_;
  std::vector<Cluster> clusters_;
  std::vector<int> cluster_seen_;  // number of the last search that saw it
  std::vector<int> node_seen_;
  int search_ = 0;
  bool met_limits_ = false;
  int64_t work_ = 0;
};

/// The numbers in order, without repetitions.
std::vector<int> each_once(std::vector<int> numbers);

/// Whether the node has the value for an operand.
bool reads(const ir::Node& node, const ir::Node& value);

}  // namespace wick::passes
