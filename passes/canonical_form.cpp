#include "wick/passes/canonical_form.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <tuple>

#include "wick/passes/canonicalize_rules.h"

namespace wick::passes {

namespace {

using ir::Node;
using ir::OpKind;
using ir::Value;

size_t index(const Node& node) {
  return static_cast<size_t>(node.id());
}

/// By name, so that a new op changes no order of others.
std::array<uint64_t, ir::kNumOps> hashes_of_ops() {
  std::array<uint64_t, ir::kNumOps> hashes{};
  for (size_t i = 0; i < hashes.size(); ++i)
    hashes[i] = hash_bytes(ir::to_string(static_cast<OpKind>(i))).low;
  return hashes;
}

/// Of its extents, how many are 1: all, some or none. Rows of a matrix and rows of a volume play
/// the same part.
uint64_t ones_of(const Shape& shape) {
  const auto is_one = [](int64_t extent) { return extent == 1; };
  if (std::ranges::all_of(shape, is_one)) return 0;
  return std::ranges::any_of(shape, is_one) ? 1 : 2;
}

Hash128 own_form(const Node& node) {
  static const std::array<uint64_t, ir::kNumOps> kHashes = hashes_of_ops();
  const uint64_t op = kHashes[static_cast<size_t>(node.op())];
  if (node.num_results() == 0) return {op, 0};  // a fusion that gives nothing
  const Type& type = node.type();
  const Hash128 hash = combine(Hash128{op, static_cast<uint64_t>(type.dtype)}, ones_of(type.shape));
  const bool is_number = node.op() == OpKind::constant && type.shape.ndim() == 0;
  return is_number ? combine(hash, node.attributes().hash()) : hash;
}

/// With which of its extents are 1.
Hash128 whole_form(const Node& node) {
  if (node.num_results() == 0) return own_form(node);
  uint64_t ones = 1;
  for (const int64_t extent : node.type().shape)
    ones = ones * 2 + (extent == 1 ? 1 : 0);
  return combine(own_form(node), ones);
}

template <class Form>
std::vector<Hash128> each_form(const ir::Graph& graph, Form form) {
  std::vector<Hash128> forms(static_cast<size_t>(graph.id_bound()));
  for (const Node* node = graph.first(); node != nullptr; node = node->next())
    forms[index(*node)] = form(*node);
  return forms;
}

/// From its operands' forms and its own.
Hash128 with_operands(const Node& node, Hash128 own, const std::vector<Hash128>& forms) {
  const auto form = [&](size_t i) { return forms[index(*node.operand(static_cast<int>(i)).node)]; };
  if (ir::has(node.op(), ir::kCommutative)) {
    const auto [first, second] = std::minmax({form(0), form(1)});
    return combine(combine(own, first), second);
  }
  for (size_t i = 0; i < node.operands().size(); ++i)
    own = combine(own, form(i));
  return own;
}

/// What is done with a node, from its users' forms. A sum, since uses have no order.
template <class Form>
Hash128 sum_of_uses(const Node& node, Form form_of_user) {
  constexpr Hash128 kResult{1, 1};
  Hash128 sum;
  for (const ir::Use& use : node.uses()) {
    Hash128 part = kResult;
    if (use.user != nullptr) {
      const bool has_order = !ir::has(use.user->op(), ir::kCommutative);
      part = combine(form_of_user(*use.user), has_order ? static_cast<uint64_t>(use.operand) : 0);
    }
    sum = {sum.low + part.low, sum.high + part.high};
  }
  return sum;
}

/// How each node is computed, back to parameters and constants.
std::vector<Hash128> forms_of(const ir::Graph& graph, const std::vector<Hash128>& own) {
  std::vector<Hash128> forms(own.size());
  for (const Node* node = graph.first(); node != nullptr; node = node->next())
    forms[index(*node)] = with_operands(*node, own[index(*node)], forms);
  return forms;
}

/// All that is done with each node.
std::vector<Hash128> uses_of(const ir::Graph& graph, const std::vector<Hash128>& forms) {
  std::vector<Hash128> all(forms.size());
  for (const Node* node = graph.last(); node != nullptr; node = node->previous()) {
    all[index(*node)] = sum_of_uses(
        *node, [&](const Node& user) { return combine(forms[index(user)], all[index(user)]); });
  }
  return all;
}

/// Of the whole graph as seen from each node. Nodes that play the same part tie.
std::vector<Hash128> whole_forms(const ir::Graph& graph) {
  // The second time tells nodes apart whose operands are used in other ways.
  constexpr int kRounds = 2;
  std::vector<Hash128> forms = each_form(graph, whole_form);
  for (int round = 0; round < kRounds; ++round) {
    forms = forms_of(graph, forms);
    const std::vector<Hash128> uses = uses_of(graph, forms);
    for (size_t i = 0; i < forms.size(); ++i)
      forms[i] = combine(forms[i], uses[i]);
  }
  return forms;
}

using Key = std::pair<NearForms, Hash128>;

std::vector<Key> canonical_keys(const ir::Graph& graph) {
  const std::vector<NearForms> near = near_forms(graph);
  const std::vector<Hash128> whole = whole_forms(graph);
  std::vector<Key> keys(near.size());
  for (size_t i = 0; i < keys.size(); ++i)
    keys[i] = {near[i], whole[i]};
  return keys;
}

/// Old parameters by key, unused ones included.
std::vector<int> parameter_order(const ir::Graph& graph, const std::vector<Key>& keys) {
  std::vector<int> order(graph.parameters().size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(
      order, {}, [&](int i) { return keys[index(*graph.parameters()[static_cast<size_t>(i)])]; });
  return order;
}

/// Old nodes but parameters, those first whose operands are. Which of two that tie comes first is
/// told by their operands' places: where several pairs tie, as in two branches that are alike, all
/// of one branch's come first.
class CanonicalOrder {
 public:
  CanonicalOrder(const ir::Graph& graph,
                 const std::vector<Key>& keys,
                 const std::vector<int>& parameters)
      : keys_(keys),
        places_(keys.size()) {
    for (const int i : parameters)
      place(*graph.parameters()[static_cast<size_t>(i)]);
    for (const std::vector<Node*>& level : levels_of(graph))
      order(level);
  }

  [[nodiscard]] const std::vector<Node*>& nodes() const { return nodes_; }

 private:
  /// By the longest way from a parameter or a constant.
  static std::vector<std::vector<Node*>> levels_of(const ir::Graph& graph) {
    std::vector<size_t> depths(static_cast<size_t>(graph.id_bound()), 0);
    std::vector<std::vector<Node*>> levels;
    for (Node* node : graph.nodes()) {
      size_t& depth = depths[index(*node)];
      for (const Value& operand : node->operands())
        depth = std::max(depth, depths[index(*operand.node)] + 1);
      if (node->op() == OpKind::parameter) continue;
      levels.resize(std::max(levels.size(), depth + 1));
      levels[depth].push_back(node);
    }
    return levels;
  }

  void order(std::vector<Node*> level) {
    std::ranges::stable_sort(level, [&](const Node* a, const Node* b) {
      const Key& key_a = keys_[index(*a)];
      const Key& key_b = keys_[index(*b)];
      return key_a != key_b ? key_a < key_b : places_of_operands(*a) < places_of_operands(*b);
    });
    for (Node* node : level) {
      place(*node);
      nodes_.push_back(node);
    }
  }

  [[nodiscard]] std::vector<int> places_of_operands(const Node& node) const {
    std::vector<int> places;
    for (const Value& operand : node.operands())
      places.push_back(places_[index(*operand.node)]);
    if (ir::has(node.op(), ir::kCommutative)) std::ranges::sort(places);
    return places;
  }

  void place(const Node& node) { places_[index(node)] = placed_++; }

  const std::vector<Key>& keys_;
  std::vector<int> places_;
  int placed_ = 0;
  std::vector<Node*> nodes_;
};

}  // namespace

std::vector<NearForms> near_forms(const ir::Graph& graph) {
  std::vector<Hash128> forms = each_form(graph, own_form);
  std::vector<NearForms> near(forms.size());
  for (size_t radius = 0; radius < std::tuple_size_v<NearForms>; ++radius) {
    if (radius > 0) {
      const std::vector<Hash128> nearer = std::move(forms);
      forms = each_form(graph, [&](const Node& node) {
        const auto form = [&](const Node& other) { return nearer[index(other)]; };
        return combine(with_operands(node, form(node), nearer), sum_of_uses(node, form));
      });
    }
    for (size_t i = 0; i < forms.size(); ++i)
      near[i][radius] = forms[i];
  }
  return near;
}

CanonicalGraph canonical_copy(const ir::Graph& graph) {
  const std::vector<Key> keys = canonical_keys(graph);
  CanonicalGraph copy;
  copy.graph = std::make_unique<ir::Graph>(graph.name());
  copy.parameters = parameter_order(graph, keys);
  std::vector<Value> copies(keys.size());
  for (const int i : copy.parameters) {
    const Node& parameter = *graph.parameters()[static_cast<size_t>(i)];
    copies[index(parameter)] =
        copy.graph->add_parameter(parameter.type(), parameter.name(), parameter.attributes())
            ->result();
  }
  std::vector<int> positions(keys.size());
  int position = 0;
  const CanonicalOrder order(graph, keys, copy.parameters);
  for (const Node* node : order.nodes()) {
    std::vector<Value> operands;
    for (const Value& operand : node->operands())
      operands.push_back(copies[index(*operand.node)]);
    Node* made = copy.graph->add(node->op(), operands, node->attributes(), node->location());
    if (!node->name().empty()) made->set_name(node->name());
    copies[index(*node)] = made->result();
    positions[index(*node)] = position++;
  }
  const std::span<const Value> results = graph.results();
  copy.results.resize(results.size());
  std::iota(copy.results.begin(), copy.results.end(), 0);
  std::ranges::stable_sort(copy.results, {}, [&](int i) {
    return positions[index(*results[static_cast<size_t>(i)].node)];
  });
  for (const int i : copy.results)
    copy.graph->add_result(copies[index(*results[static_cast<size_t>(i)].node)]);
  order_commutative_operands(*copy.graph);
  return copy;
}

}  // namespace wick::passes
