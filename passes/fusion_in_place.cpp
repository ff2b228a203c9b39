#include "wick/passes/fusion_in_place.h"

#include <algorithm>
#include <limits>
#include <map>

namespace wick::passes {

namespace {

using ir::Node;
using ir::OpKind;
using ir::Value;
using Level = FusionClusters::Level;

/// The value that a chain of reshapes shows: one buffer holds them all.
const Node* buffer_of(const Node* node) {
  while (node->op() == OpKind::reshape)
    node = node->operand(0).node;
  return node;
}

/// Whether anything may ever write over the value: a parameter's buffer is the caller's unless the
/// caller donates it, constants stay.
bool may_be_overwritten(const Value& value) {
  const Node* buffer = buffer_of(value.node);
  if (buffer->op() == OpKind::constant) return false;
  return buffer->op() != OpKind::parameter || buffer->attributes().flag("donate");
}

/// Some op reads other positions than it is computed at, so that what it reads, members too, is
/// computed elsewhere than where the outputs are stored.
bool moves_positions(const Cluster& cluster) {
  const auto moves = [](const Node* node) {
    return ir::has(node->op(), ir::kMovement) && node->op() != OpKind::broadcast &&
           node->op() != OpKind::reshape;
  };
  return std::ranges::any_of(cluster.members, moves) || std::ranges::any_of(cluster.copies, moves);
}

/// Parts of the cluster's kernel in the order in which they run for a row: straight code is even,
/// loops over the row are odd, and what depends on k reductions in a chain is computed from 2k on.
/// Columns come behind all rows.
class Timetable {
 public:
  Timetable(const FusionClusters& clusters, int number, const std::vector<Node*>& outputs)
      : clusters_(clusters),
        number_(number) {
    const Cluster& cluster = clusters.cluster(number);
    std::vector<const Node*> nodes(cluster.members.begin(), cluster.members.end());
    nodes.insert(nodes.end(), cluster.copies.begin(), cluster.copies.end());
    std::ranges::sort(nodes, {}, [&](const Node* node) { return clusters.position(*node); });
    for (const Node* node : nodes) {
      int depth = 0;
      for (const Value& operand : node->operands())
        depth = std::max(depth, this->depth(*operand.node));
      depth_[node->id()] = depth + (reduces(*node) && level(*node) == Level::row ? 1 : 0);
    }
    for (const Node* output : outputs)
      need(*output, stored_at(*output));
    for (size_t i = nodes.size(); i-- > 0;) {
      const int at = computed_at(*nodes[i]);
      for (const Value& operand : nodes[i]->operands())
        need(*operand.node, at);
    }
  }

  [[nodiscard]] int stored_at(const Node& output) const {
    if (level(output) == Level::column) return std::numeric_limits<int>::max();
    return 2 * depth(output) + (level(output) == Level::full ? 1 : 0);
  }

  /// The last part that may read the value or compute what is made of it.
  [[nodiscard]] int last_need(const Node& value) const {
    const auto known = needs_.find(value.id());
    return known == needs_.end() ? -1 : known->second;
  }

 private:
  static bool reduces(const Node& node) { return ir::has(node.op(), ir::kReduction); }

  /// Copies belong to another cluster, and are no reductions.
  [[nodiscard]] Level level(const Node& node) const {
    return clusters_.home(node) == number_ ? clusters_.level(node) : Level::full;
  }

  /// The last part that reads the operands of the node.
  [[nodiscard]] int computed_at(const Node& node) const {
    if (!reduces(node)) return last_need(node);
    return 2 * depth(node) + (level(node) == Level::row ? -1 : 1);
  }

  [[nodiscard]] int depth(const Node& value) const {
    const auto known = depth_.find(value.id());
    return known == depth_.end() ? 0 : known->second;
  }

  void need(const Node& value, int part) {
    int& last = needs_.try_emplace(value.id(), part).first->second;
    last = std::max(last, part);
  }

  const FusionClusters& clusters_;
  int number_;
  std::map<int, int> depth_;  // these by Node::id
  std::map<int, int> needs_;
};

/// Rows and columns that are as many: values of either may be stored with those of the other.
bool has_square_columns(const Cluster& cluster) {
  return cluster.columns && cluster.domain.numel(Level::row) == cluster.domain.numel(Level::column);
}

/// Whether every op inside reads the operand where values of this level are computed; reductions
/// read all of it in order.
bool is_read_in_place(const FusionClusters& clusters,
                      const Cluster& cluster,
                      const Node& operand,
                      Level level) {
  const ir::Domain& domain = cluster.domain;
  const auto own = domain.aligned_map(operand.type().shape, level);
  if (!own) return false;
  const auto reads_it = [&](const Node* node) { return reads(*node, operand); };
  if (std::ranges::any_of(cluster.copies, reads_it)) return false;
  return std::ranges::all_of(cluster.members, [&](const Node* node) {
    if (!reads(*node, operand) || ir::has(node->op(), ir::kReduction)) return true;
    const auto map = domain.aligned_map(node->type().shape, clusters.level(*node));
    for (int i = 0; i < node->num_operands(); ++i) {
      if (node->operand(i).node != &operand) continue;
      if (!map || operand_map(*node, i, *map, domain.extents) != own) return false;
    }
    return true;
  });
}

}  // namespace

std::vector<int64_t> in_place_operands(const FusionClusters& clusters,
                                       int number,
                                       const FusionOperands& operands,
                                       const std::vector<Node*>& outputs,
                                       const std::function<bool(const Node&)>& dies) {
  std::vector<int64_t> in_place(outputs.size(), -1);
  const Cluster& cluster = clusters.cluster(number);
  if (moves_positions(cluster)) return in_place;
  const Timetable times(clusters, number, outputs);
  const auto& [nodes, values] = operands;
  const auto is_free = [&](size_t i) {
    const auto same_buffer = std::ranges::count_if(values, [&](const Value& other) {
      return buffer_of(other.node) == buffer_of(values[i].node);
    });
    return same_buffer == 1 && may_be_overwritten(values[i]) && dies(*nodes[i]);
  };
  std::vector<bool> taken(values.size(), false);
  for (size_t i = 0; i < values.size(); ++i)
    taken[i] = !is_free(i);
  for (size_t r = 0; r < outputs.size(); ++r) {
    const Node& output = *outputs[r];
    const Level level = clusters.level(output);
    if (level != Level::full && has_square_columns(cluster)) continue;
    for (size_t i = 0; i < values.size() && in_place[r] < 0; ++i) {
      const Type& type = values[i].type();
      if (taken[i] || type.num_bytes() != output.type().num_bytes()) continue;
      if (type.numel() != cluster.domain.numel(level)) continue;
      if (times.last_need(*nodes[i]) > times.stored_at(output)) continue;
      if (!is_read_in_place(clusters, cluster, *nodes[i], level)) continue;
      in_place[r] = static_cast<int64_t>(i);
      taken[i] = true;
    }
  }
  return in_place;
}

}  // namespace wick::passes
