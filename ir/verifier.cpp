#include "wick/ir/verifier.h"

#include <algorithm>
#include <tuple>

#include <fmt/format.h>

#include "wick/ir/attribute_schema.h"
#include "wick/ir/custom_op.h"
#include "wick/ir/format.h"
#include "wick/ir/printer.h"

namespace wick::ir {
namespace {

using Broken = std::optional<std::string>;

class Verifier {
 public:
  explicit Verifier(const Graph& graph)
      : graph_(graph),
        nodes_(static_cast<size_t>(graph.id_bound())),
        positions_(static_cast<size_t>(graph.id_bound())),
        expected_uses_(static_cast<size_t>(graph.id_bound())) {}

  Broken run(bool is_body);

 private:
  Broken check_list();
  Broken check_parameters() const;
  Broken check_operands();
  Broken check_results();
  Broken check_node(const Node& node, bool is_body) const;
  static Broken check_type(const Node& node);
  static Broken check_fusion(const Node& node);
  static Broken check_in_place(const Node& node);
  Broken check_uses() const;
  [[nodiscard]] bool is_known(const Value& value) const;
  [[nodiscard]] std::string describe(const Node& node, std::string_view rule) const;

  const Graph& graph_;
  std::vector<Node*> nodes_;    // by id
  std::vector<int> positions_;  // by id
  std::vector<std::vector<Use>> expected_uses_;
};

std::string Verifier::describe(const Node& node, std::string_view rule) const {
  const std::string place =
      node.location().is_known() ? to_string(node.location()) + ": " : std::string();
  return fmt::format("{}in graph @{}: {}: {}", place, graph_.name(), rule, to_string(node));
}

bool Verifier::is_known(const Value& value) const {
  const Node* node = value.node;
  return node != nullptr && &node->graph() == &graph_ && node->id() < graph_.id_bound() &&
         nodes_[static_cast<size_t>(node->id())] == node && value.index >= 0 &&
         value.index < node->num_results();
}

Broken Verifier::check_list() {
  int position = 0;
  const Node* previous = nullptr;
  for (Node* node = graph_.first(); node != nullptr; node = node->next()) {
    if (node->previous() != previous || &node->graph() != &graph_ || position >= graph_.num_nodes())
      return fmt::format("in graph @{}: the list of nodes is broken", graph_.name());
    nodes_[static_cast<size_t>(node->id())] = node;
    positions_[static_cast<size_t>(node->id())] = position++;
    previous = node;
  }
  if (previous != graph_.last() || position != graph_.num_nodes()) {
    return fmt::format("in graph @{}: the list of nodes is broken", graph_.name());
  }
  return std::nullopt;
}

Broken Verifier::check_parameters() const {
  const Node* node = graph_.first();
  for (const Node* parameter : graph_.parameters()) {
    if (node != parameter || node->op() != OpKind::parameter) {
      return describe(*parameter, "parameters should come first, in order");
    }
    node = node->next();
  }
  for (; node != nullptr; node = node->next()) {
    if (node->op() == OpKind::parameter) {
      return describe(*node, "the parameter should be in the graph's list");
    }
  }
  return std::nullopt;
}

Broken Verifier::check_operands() {
  for (Node* node = graph_.first(); node != nullptr; node = node->next()) {
    for (int i = 0; i < node->num_operands(); ++i) {
      const Value operand = node->operand(i);
      if (!is_known(operand)) {
        return describe(*node, fmt::format("operand {} is not a value of this graph", i));
      }
      const auto source = static_cast<size_t>(operand.node->id());
      if (positions_[source] >= positions_[static_cast<size_t>(node->id())]) {
        return describe(*node, fmt::format("operand {} should come earlier", i));
      }
      expected_uses_[source].push_back({node, i});
    }
  }
  return std::nullopt;
}

Broken Verifier::check_results() {
  for (size_t i = 0; i < graph_.results().size(); ++i) {
    const Value& result = graph_.results()[i];
    if (!is_known(result)) {
      return fmt::format("in graph @{}: result {} is not a value of this graph", graph_.name(), i);
    }
    expected_uses_[static_cast<size_t>(result.node->id())].push_back(
        {nullptr, static_cast<int>(i)});
  }
  return std::nullopt;
}

Broken Verifier::check_type(const Node& node) {
  if (is_unregistered(node) && is_custom_op_name(node.op_name())) return std::nullopt;
  std::vector<const Type*> types;
  for (const Value& operand : node.operands()) {
    types.push_back(&operand.type());
  }
  try {
    const Type expected = infer_type(node.op(), types, node.attributes(), node.location());
    if (node.num_results() == 1 && node.type() == expected) return std::nullopt;
    return fmt::format("the type should be {}", expected);
  } catch (const Error& error) {
    return error.text();
  }
}

Broken Verifier::check_fusion(const Node& node) {
  if (node.body() == nullptr) return "a fusion should have a body";
  const Graph& body = *node.body();
  bool matches = body.parameters().size() == node.operands().size() &&
                 body.results().size() == static_cast<size_t>(node.num_results());
  for (int i = 0; matches && i < node.num_operands(); ++i) {
    matches = body.parameters()[static_cast<size_t>(i)]->type() == node.operand(i).type();
  }
  for (int i = 0; matches && i < node.num_results(); ++i) {
    const Value& result = body.results()[static_cast<size_t>(i)];
    matches = result.node != nullptr && result.type() == node.type(i);
  }
  if (!matches) return "the body's parameters and results should match the fusion's";
  return std::nullopt;
}

Broken Verifier::check_in_place(const Node& node) {
  if (!node.attributes().has("in_place")) return std::nullopt;
  const std::vector<int64_t>& in_place = node.attributes().integers("in_place");
  const auto is_operand = [&](int64_t i) { return i >= -1 && i < node.num_operands(); };
  if (in_place.size() == static_cast<size_t>(node.num_results()) &&
      std::ranges::all_of(in_place, is_operand)) {
    return std::nullopt;
  }
  return "in_place should name an operand or -1 for each result";
}

Broken Verifier::check_node(const Node& node, bool is_body) const {
  const auto broken = [&](std::string_view rule) { return describe(node, rule); };
  if (const Broken rule = check_attributes(node.op(), node.attributes())) return broken(*rule);
  const std::vector<std::string>& buffers = node.attributes().texts("buffers");
  if (node.attributes().has("buffers") &&
      buffers.size() != static_cast<size_t>(node.num_results())) {
    return broken("buffers should name one for each result");
  }
  if (const Broken rule = check_in_place(node)) return broken(*rule);
  if (is_body && (node.op() == OpKind::fusion || has(node.op(), kOpaque))) {
    return broken("the op should not be inside a fusion");
  }
  if (node.op() == OpKind::parameter) {
    if (node.attributes().flag("scalar") && node.type().shape.ndim() != 0) {
      return broken("a scalar parameter should have rank 0");
    }
    return std::nullopt;
  }
  if (node.op() == OpKind::fusion) {
    if (const Broken rule = check_fusion(node)) return broken(*rule);
    return Verifier(*node.body()).run(true);  // one level deep: bodies hold no fusions
  }
  if (node.body() != nullptr) return broken("only a fusion should have a body");
  if (const Broken rule = check_type(node)) return broken(*rule);
  return std::nullopt;
}

Broken Verifier::check_uses() const {
  const auto key = [&](const Use& use) {
    const int user = use.user == nullptr ? -1 : use.user->id();
    return std::tuple(user, use.operand);
  };
  for (const Node* node = graph_.first(); node != nullptr; node = node->next()) {
    std::vector<Use> actual(node->uses().begin(), node->uses().end());
    std::vector<Use> expected = expected_uses_[static_cast<size_t>(node->id())];
    std::ranges::sort(actual, {}, key);
    std::ranges::sort(expected, {}, key);
    if (actual != expected) return describe(*node, "the list of uses is not exact");
  }
  return std::nullopt;
}

Broken Verifier::run(bool is_body) {
  if (Broken rule = check_list()) return rule;
  if (Broken rule = check_parameters()) return rule;
  if (Broken rule = check_operands()) return rule;
  if (Broken rule = check_results()) return rule;
  for (const Node* node = graph_.first(); node != nullptr; node = node->next()) {
    if (Broken rule = check_node(*node, is_body)) return rule;
  }
  return check_uses();
}

}  // namespace

std::optional<std::string> verify(const Graph& graph) {
  return Verifier(graph).run(false);
}

}  // namespace wick::ir
