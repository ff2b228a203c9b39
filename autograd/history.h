#pragma once

// A snapshot of the recorded ops below some outputs, for a backward pass to walk.

#include <source_location>
#include <span>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "wick/ir/ref.h"
#include "wick/tensor/node.h"
#include "wick/tensor/tensor.h"

namespace wick::autograd {

/// Whether gradients flow through a node.
bool takes_gradient(const detail::Node& node);

/// The nodes that take a gradient, operands before users, in an order that depends on the program
/// alone. Taken under the materialization lock and holding its own references, so that other
/// threads may materialize while the pass records.
class History {
 public:
  static constexpr int kNone = -1;

  /// One operand of an op; `entry` is kNone when no gradient flows to it.
  struct Edge {
    Tensor operand;
    int entry = kNone;
  };

  struct Entry {
    Ref<detail::Node> node;
    size_t first_edge = 0;
    size_t num_edges = 0;  // 0 for leaves and stops
  };

  struct Request {
    std::span<const Tensor> outputs;
    std::span<const Tensor> stops;  // the walk ends at these
    std::string_view op;            // for errors
    std::source_location where;
  };

  /// Error when an earlier backward freed something on the way.
  explicit History(const Request& request);

  [[nodiscard]] std::span<const Entry> entries() const { return entries_; }

  [[nodiscard]] std::span<const Edge> edges(const Entry& entry) const {
    return {edges_.data() + entry.first_edge, entry.num_edges};
  }

  /// The entry of a tensor's node; kNone when it is not below the outputs.
  [[nodiscard]] int find(const Tensor& tensor) const;

  /// Lets the nodes forget how they were made: no later pass can walk them, and their memory goes
  /// as soon as nobody else needs it.
  void free();
  /// The same for some of the entries.
  void free(const std::vector<bool>& which);

 private:
  struct Visit {
    const detail::Node* node;
    int entry;  // kNone until everything below has its own
  };

  struct Frame {
    Entry entry;
    uint32_t visit = 0;
    size_t next = 0;  // of the entry's edges
  };

  /// Null when the walk has not met the node. Under the lock: it goes by the node's capture index.
  [[nodiscard]] const Visit* visit_of(const detail::Node& node) const;

  void walk(const Ref<detail::Node>& root, const Request& request);
  /// Starts a node's visit by noting its operands; false when no gradient flows or it was visited.
  bool open(const Ref<detail::Node>& node, const Request& request);
  void note_operands(const detail::Node& node, const Request& request);
  void close();

  std::vector<Entry> entries_;
  std::vector<Frame> stack_;  // of the walk
  std::vector<Edge> edges_;
  std::vector<Visit> visits_;  // in the order in which the walk met the nodes
  mutable std::unordered_map<const detail::Node*, int> index_;  // made by the first use of find()
  std::unordered_set<const detail::Node*> stops_;               // looked up only, as the index
};

}  // namespace wick::autograd
