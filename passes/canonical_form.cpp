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

Hash128 own_form(const Node& node) {
  static const std::array<uint64_t, ir::kNumOps> kHashes = hashes_of_ops();
  const uint64_t op = kHashes[static_cast<size_t>(node.op())];
  if (node.num_results() == 0) return {op, 0};  // a fusion that gives nothing
  const Type& type = node.type();
  uint64_t ones = 1;
  for (const int64_t extent : type.shape)
    ones = ones * 2 + (extent == 1 ? 1 : 0);
  const Hash128 hash = combine(Hash128{op, static_cast<uint64_t>(type.dtype)}, ones);
  const bool is_number = node.op() == OpKind::constant && node.type().shape.ndim() == 0;
  return is_number ? combine(hash, node.attributes().hash()) : hash;
}

std::vector<Hash128> own_forms(const ir::Graph& graph) {
  std::vector<Hash128> own(static_cast<size_t>(graph.id_bound()));
  for (const Node* node = graph.first(); node != nullptr; node = node->next())
    own[index(*node)] = own_form(*node);
  return own;
}

/// How each node is computed, from its operands' forms.
std::vector<Hash128> forms_of(const ir::Graph& graph, const std::vector<Hash128>& own) {
  std::vector<Hash128> forms(own.size());
  std::vector<Hash128> operands;
  for (const Node* node = graph.first(); node != nullptr; node = node->next()) {
    operands.clear();
    for (const Value& operand : node->operands())
      operands.push_back(forms[index(*operand.node)]);
    if (ir::has(node->op(), ir::kCommutative)) std::ranges::sort(operands);
    Hash128 form = own[index(*node)];
    for (const Hash128& operand : operands)
      form = combine(form, operand);
    forms[index(*node)] = form;
  }
  return forms;
}

/// What is done with each node, from its users' forms and uses. A sum, since uses have no order.
std::vector<Hash128> uses_of(const ir::Graph& graph, const std::vector<Hash128>& forms) {
  constexpr Hash128 kResult{1, 1};
  std::vector<Hash128> all(forms.size());
  for (const Node* node = graph.last(); node != nullptr; node = node->previous()) {
    Hash128& sum = all[index(*node)];
    for (const ir::Use& use : node->uses()) {
      Hash128 part = kResult;
      if (use.user != nullptr) {
        const bool has_order = !ir::has(use.user->op(), ir::kCommutative);
        part = combine(combine(forms[index(*use.user)], all[index(*use.user)]),
                       has_order ? static_cast<uint64_t>(use.operand) : 0);
      }
      sum = {sum.low + part.low, sum.high + part.high};
    }
  }
  return all;
}

/// Old nodes but parameters: by depth, then key.
std::vector<Node*> canonical_order(const ir::Graph& graph, const std::vector<Hash128>& keys) {
  std::vector<int> depths(keys.size(), 0);
  std::vector<Node*> order;
  for (Node* node : graph.nodes()) {
    for (const Value& operand : node->operands()) {
      depths[index(*node)] = std::max(depths[index(*node)], depths[index(*operand.node)] + 1);
    }
    if (node->op() != OpKind::parameter) order.push_back(node);
  }
  std::ranges::stable_sort(order, {}, [&](const Node* node) {
    return std::tuple(depths[index(*node)], keys[index(*node)]);
  });
  return order;
}

/// Old parameters by key, unused ones included.
std::vector<int> parameter_order(const ir::Graph& graph, const std::vector<Hash128>& keys) {
  std::vector<int> order(graph.parameters().size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(
      order, {}, [&](int i) { return keys[index(*graph.parameters()[static_cast<size_t>(i)])]; });
  return order;
}

}  // namespace

std::vector<Hash128> canonical_keys(const ir::Graph& graph) {
  // The second time tells nodes apart whose operands are used in other ways.
  constexpr int kRounds = 2;
  std::vector<Hash128> keys = own_forms(graph);
  for (int round = 0; round < kRounds; ++round) {
    keys = forms_of(graph, keys);
    const std::vector<Hash128> uses = uses_of(graph, keys);
    for (size_t i = 0; i < keys.size(); ++i)
      keys[i] = combine(keys[i], uses[i]);
  }
  return keys;
}

CanonicalGraph canonical_copy(const ir::Graph& graph) {
  const std::vector<Hash128> keys = canonical_keys(graph);
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
  for (const Node* node : canonical_order(graph, keys)) {
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
