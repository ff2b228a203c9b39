#include "wick/passes/fusion_outline.h"

#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "wick/ir/check.h"
#include "wick/passes/buffer_place.h"
#include "wick/passes/canonical_form.h"
#include "wick/passes/fusion_in_place.h"
#include "wick/passes/schedule.h"

namespace wick::passes {

namespace {

using ir::Node;
using ir::OpKind;
using ir::Value;

template <typename T>
std::vector<T> permuted(const std::vector<T>& values, const std::vector<int>& order) {
  std::vector<T> out;
  out.reserve(order.size());
  for (const int i : order)
    out.push_back(values[static_cast<size_t>(i)]);
  return out;
}

std::vector<int> inverse(const std::vector<int>& order) {
  std::vector<int> out(order.size());
  for (size_t i = 0; i < order.size(); ++i)
    out[static_cast<size_t>(order[i])] = static_cast<int>(i);
  return out;
}

/// A cluster, or a node that stays by itself, while the units are put in order.
struct Unit {
  int cluster = FusionClusters::kNone;
  Node* lone = nullptr;
  int place = 0;  // of its last node in the old list
  int rank = 0;   // in the new order
};

class Outliner {
 public:
  Outliner(ir::Graph& graph, FusionClusters& clusters)
      : graph_(graph),
        clusters_(clusters),
        old_nodes_(graph.nodes()),
        unit_of_(static_cast<size_t>(graph.id_bound()), -1),
        replacement_(unit_of_.size()),
        inside_(unit_of_.size()) {
    make_units();
  }

  /// None where units depend on each other in a circle.
  std::optional<std::vector<int>> order() {
    std::vector<int> sorted = sorted_units();
    if (sorted.size() != units_.size()) return std::nullopt;
    return sorted;
  }

  int run(const std::vector<int>& sorted) {
    int count = 0;
    for (size_t rank = 0; rank < sorted.size(); ++rank) {
      units_[static_cast<size_t>(sorted[rank])].rank = static_cast<int>(rank);
    }
    for (const int number : sorted) {
      const Unit& unit = units_[static_cast<size_t>(number)];
      if (unit.lone != nullptr) {
        if (unit.lone->op() != OpKind::parameter) graph_.move_before(unit.lone, nullptr);
      } else {
        outline(unit.cluster, fmt::format("k{}", count++));
      }
    }
    // Only now, since the clusters are described by the old nodes.
    for (Node* node : old_nodes_) {
      const Value known = replacement_[index(*node)];
      if (known) graph_.replace_all_uses(node->result(), known);
    }
    erase_old_nodes();
    return count;
  }

 private:
  [[nodiscard]] static size_t index(const Node& node) { return static_cast<size_t>(node.id()); }

  [[nodiscard]] int& unit_of(const Node& node) { return unit_of_[index(node)]; }

  void make_units() {
    std::vector<int> unit_of_cluster(static_cast<size_t>(clusters_.num_clusters()), -1);
    for (size_t place = 0; place < old_nodes_.size(); ++place) {
      Node* node = old_nodes_[place];
      const int cluster = clusters_.home(*node);
      int unit = static_cast<int>(units_.size());
      if (cluster == FusionClusters::kNone) {
        units_.push_back({.lone = node});
      } else {
        int& known = unit_of_cluster[static_cast<size_t>(cluster)];
        if (known < 0) {
          known = unit;
          units_.push_back({.cluster = cluster});
        }
        unit = known;
      }
      units_[static_cast<size_t>(unit)].place = static_cast<int>(place);
      unit_of(*node) = unit;
    }
  }

  [[nodiscard]] std::vector<Node*> operands_of(const Unit& unit) const {
    if (unit.lone == nullptr) return clusters_.operands(unit.cluster);
    std::vector<Node*> operands;
    for (const Value& operand : unit.lone->operands())
      operands.push_back(operand.node);
    return operands;
  }

  /// The nodes whose values a unit stores.
  [[nodiscard]] std::vector<Node*> stored_by(const Unit& unit) {
    if (unit.lone == nullptr) return outputs_of(unit.cluster);
    if (clusters_.is_dead(*unit.lone)) return {};
    return {unit.lone};
  }

  /// Without those of a circle and behind it.
  std::vector<int> sorted_units() {
    std::vector<ScheduleUnit> scheduled(units_.size());
    std::vector<ScheduleBuffer> buffers;
    std::vector<int> buffer_of(unit_of_.size(), -1);  // by id of the node
    for (size_t i = 0; i < units_.size(); ++i) {
      scheduled[i].place = units_[i].place;
      for (const Node* node : stored_by(units_[i])) {
        const bool is_view = units_[i].lone != nullptr && is_alias(*node);
        const int buffer =
            is_view ? buffer_of[index(*node->operand(0).node)] : static_cast<int>(buffers.size());
        check(buffer >= 0, "what a view shows is stored");
        buffer_of[index(*node)] = buffer;
        if (!is_view) {
          buffers.push_back({.bytes = bytes_of_results(*node), .kept = !may_be_freed(*node)});
          scheduled[i].writes.push_back(buffer);
        }
        if (clusters_.is_result(*node)) buffers[static_cast<size_t>(buffer)].kept = true;
      }
    }
    for (size_t i = 0; i < units_.size(); ++i) {
      std::vector<int> after;
      std::vector<int> reads;
      for (const Node* operand : operands_of(units_[i])) {
        after.push_back(unit_of(*operand));
        // Dead ops may read what is stored no more.
        const int buffer = buffer_of[index(*operand)];
        if (buffer >= 0) reads.push_back(buffer);
      }
      scheduled[i].after = each_once(std::move(after));
      scheduled[i].reads = each_once(std::move(reads));
    }
    return best_schedule(scheduled, buffers).order;
  }

  static int64_t bytes_of_results(const Node& node) {
    size_t bytes = 0;
    for (int i = 0; i < node.num_results(); ++i)
      bytes += node.type(i).num_bytes();
    return static_cast<int64_t>(bytes);
  }

  static bool may_be_freed(const Node& node) {
    if (node.op() == OpKind::parameter) return node.attributes().flag("donate");
    return node.op() != OpKind::constant;
  }

  /// The members whose values are used by others, in canonical order.
  std::vector<Node*> outputs_of(int cluster) {
    std::vector<Node*> outputs;
    for (Node* node : clusters_.cluster(cluster).members) {
      if (!clusters_.outside_readers(*node).empty()) outputs.push_back(node);
    }
    std::ranges::sort(outputs, {}, [&](const Node* node) { return clusters_.position(*node); });
    return outputs;
  }

  void outline(int number, const std::string& name) {
    const Cluster& cluster = clusters_.cluster(number);
    const std::vector<Node*> outputs = outputs_of(number);
    check(!outputs.empty(), "the values of a cluster are used");
    auto body = std::make_unique<ir::Graph>(name);
    std::vector<Value> sources;
    const std::vector<Node*> read = clusters_.operands(number);
    for (Node* operand : read) {
      const Value value = current(operand);
      sources.push_back(value);
      inside_[index(*operand)] = body->add_parameter(value.type(), operand->name())->result();
    }
    std::vector<Node*> nodes = cluster.members;
    nodes.insert(nodes.end(), cluster.copies.begin(), cluster.copies.end());
    std::ranges::sort(nodes, {}, [&](const Node* node) { return clusters_.position(*node); });
    for (Node* node : nodes)
      inside_[index(*node)] = clone(*node, *body)->result();

    std::vector<Value> results;
    std::vector<Node*> stored;  // one a result
    std::vector<std::pair<Node*, int>> replaced;
    for (Node* output : outputs) {
      const Value value = inside_[index(*output)];
      const auto known = std::ranges::find(results, value);
      replaced.emplace_back(output, static_cast<int>(known - results.begin()));
      if (known != results.end()) continue;
      results.push_back(value);
      stored.push_back(output);
    }
    body->set_results(results);
    forget_inside(read);
    forget_inside(nodes);

    // Equal computations become equal kernels, wherever in a program they stand.
    CanonicalGraph canonical = canonical_copy(*body);
    const std::vector<Value> operands = permuted(sources, canonical.parameters);
    const std::vector<int> new_result = inverse(canonical.results);

    ir::Attributes attributes;
    attributes.set("kind", std::string(cluster.row ? "row" : "loop"));
    const std::vector<int64_t> in_place =
        in_place_operands(clusters_,
                          number,
                          {.nodes = permuted(read, canonical.parameters), .values = operands},
                          permuted(stored, canonical.results),
                          [&](const Node& operand) { return dies_in(number, operand); });
    if (std::ranges::any_of(in_place, [](int64_t operand) { return operand >= 0; })) {
      attributes.set("in_place", in_place);
    }
    Node* fusion = graph_.add_fusion(
        operands, std::move(canonical.graph), attributes, outputs.back()->location());
    for (const auto& [output, old_result] : replaced) {
      const int result = new_result[static_cast<size_t>(old_result)];
      if (!output->name().empty()) fusion->set_name(output->name(), result);
      replacement_[index(*output)] = fusion->result(result);
    }
  }

  /// What the value of an old node is now.
  Value current(Node* node) {
    const Value known = replacement_[index(*node)];
    return known ? known : node->result();
  }

  void forget_inside(const std::vector<Node*>& nodes) {
    for (const Node* node : nodes) {
      inside_[index(*node)] = {};
      for (const Value& operand : node->operands())
        inside_[index(*operand.node)] = {};  // constants have been cloned beside them
    }
  }

  Node* clone(const Node& node, ir::Graph& body) {
    std::vector<Value> operands;
    for (const Value& operand : node.operands()) {
      Value& known = inside_[index(*operand.node)];
      if (!known) known = clone_constant(*operand.node, body);
      operands.push_back(known);
    }
    Node* copy = body.add(node.op(), operands, node.attributes(), node.location());
    if (!node.name().empty()) copy->set_name(node.name());
    return copy;
  }

  static Value clone_constant(const Node& constant, ir::Graph& body) {
    const Literal& literal = constant.attributes().literal("value");
    const size_t size = size_of(literal.type().dtype);
    const Literal first(Type{literal.type().dtype, {}}, literal.bytes().first(size));
    const Value scalar = body.add_constant(first, constant.location())->result();
    if (literal.type().shape.ndim() == 0) return scalar;
    ir::Attributes attributes;
    const Shape& shape = literal.type().shape;
    attributes.set("shape", std::vector<int64_t>(shape.begin(), shape.end()));
    return body.add(OpKind::broadcast, {scalar}, attributes, constant.location())->result();
  }

  [[nodiscard]] const Unit& unit(const Node& node) {
    return units_[static_cast<size_t>(unit_of(node))];
  }

  /// No op behind the cluster reads the value. One that shows it in another shape might.
  bool dies_in(int number, const Node& value) {
    const int rank = unit(*clusters_.cluster(number).members.front()).rank;
    for (const ir::Use& use : value.uses()) {
      if (use.user == nullptr) return false;
      if (static_cast<size_t>(use.user->id()) >= unit_of_.size()) continue;  // made by this pass
      if (clusters_.is_dead(*use.user) || clusters_.home(*use.user) != FusionClusters::kNone) {
        continue;
      }
      if (use.user->op() == OpKind::reshape || unit(*use.user).rank > rank) return false;
    }
    return std::ranges::all_of(clusters_.outside_readers(value), [&](int reader) {
      return reader == FusionClusters::kNone ||
             unit(*clusters_.cluster(reader).members.front()).rank <= rank;
    });
  }

  void erase_old_nodes() {
    for (size_t i = old_nodes_.size(); i-- > 0;) {
      Node* node = old_nodes_[i];
      const bool moved = clusters_.home(*node) != FusionClusters::kNone;
      const bool dead =
          node->op() != OpKind::parameter && !node->has_uses() && !clusters_.is_result(*node);
      if (moved || dead) graph_.erase(node);
    }
  }

  ir::Graph& graph_;
  FusionClusters& clusters_;
  std::vector<Node*> old_nodes_;
  std::vector<int> unit_of_;
  std::vector<Unit> units_;
  std::vector<Value> replacement_;  // by id of the old node, as is the next one
  std::vector<Value> inside_;       // the body that is being made
};

}  // namespace

std::optional<std::vector<int>> order_of_units(ir::Graph& graph, FusionClusters& clusters) {
  return Outliner(graph, clusters).order();
}

int outline_fusions(ir::Graph& graph, FusionClusters& clusters, const std::vector<int>& order) {
  return Outliner(graph, clusters).run(order);
}

}  // namespace wick::passes
