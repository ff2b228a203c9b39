#include "edits.h"

#include <optional>
#include <unordered_map>
#include <utility>

#include "edit_copy.h"
#include "extract.h"
#include "measure.h"

namespace wick::reduce {

namespace {

/// A copy in which `from` is replaced by a value that `make` gives, in the copy, for its place.
template <typename Make>
std::unique_ptr<ir::Graph> replaced(const ir::Graph& graph, ir::Value from, const Make& make) {
  EditCopy copy(graph);
  const ir::Value to = make(copy);
  if (!to) return nullptr;
  copy.graph().replace_all_uses(copy(from), to);
  erase_unused(copy.graph());
  return copy.take();
}

Edit replace_by(const ir::Graph& graph, ir::Value from, ir::Value to) {
  return [&graph, from, to] {
    return replaced(graph, from, [&](const EditCopy& copy) { return copy(to); });
  };
}

Literal splat(const Type& type, double value) {
  Literal literal(type);
  if (value == 0) return literal;
  visit_dtype(type.dtype, [&]<typename T>() {
    for (T& element : literal.mutable_values<T>())
      element = static_cast<T>(static_cast<float>(value));
  });
  return literal;
}

Edit replace_by_splat(const ir::Graph& graph, ir::Value from, double value) {
  return [&graph, from, value] {
    return replaced(graph, from, [&](const EditCopy& copy) {
      ir::Node* constant = copy.graph().add_constant(
          splat(from.type(), value), from.node->location(), copy(from.node));
      if (!from.node->name(from.index).empty()) constant->set_name(from.node->name(from.index));
      return constant->result();
    });
  };
}

bool is_dense_constant(const ir::Node& node) {
  return node.op() == ir::OpKind::constant && !is_splat(node.attributes().literal("value"));
}

/// Puts the ops of a fusion's body before it, in its graph.
void inline_fusion(ir::Node* fusion) {
  ir::Graph& graph = fusion->graph();
  std::unordered_map<const ir::Node*, ir::Value> outside;
  for (int i = 0; i < fusion->num_operands(); ++i)
    outside[fusion->body()->parameters()[static_cast<size_t>(i)]] = fusion->operand(i);
  for (const ir::Node* node = fusion->body()->first(); node != nullptr; node = node->next()) {
    if (node->op() == ir::OpKind::parameter) continue;
    std::vector<ir::Value> operands;
    for (const ir::Value& operand : node->operands())
      operands.push_back(outside.at(operand.node));
    ir::Node* copy =
        graph.add(node->op(), std::move(operands), node->attributes(), node->location(), fusion);
    if (!node->name().empty()) copy->set_name(node->name());
    outside[node] = copy->result();
  }
  for (int i = 0; i < fusion->num_results(); ++i) {
    const ir::Value result = fusion->body()->results()[static_cast<size_t>(i)];
    graph.replace_all_uses(fusion->result(i), outside.at(result.node));
  }
  graph.erase(fusion);
}

}  // namespace

std::vector<Edit> inline_fusions(const ir::Graph& graph) {
  std::vector<Edit> edits;
  for (ir::Node* node : ops_of(graph)) {
    if (node->op() != ir::OpKind::fusion) continue;
    edits.emplace_back([&graph, node] {
      EditCopy copy(graph);
      inline_fusion(copy(node));
      return copy.take();
    });
  }
  return edits;
}

std::vector<Edit> bypass_ops(const ir::Graph& graph) {
  std::vector<Edit> edits;
  for (ir::Node* node : ops_of(graph)) {
    for (int i = 0; i < node->num_results(); ++i) {
      const ir::Value value = node->result(i);
      const auto propose = [&](ir::Value other) {
        const bool fits = other.type() == value.type();
        if (fits) edits.push_back(replace_by(graph, value, other));
        return fits;
      };
      bool found = false;
      for (const ir::Value& operand : node->operands())
        found = propose(operand) || found;
      for (ir::Node* parameter : graph.parameters()) {
        if (found) break;
        found = propose(parameter->result());
      }
    }
  }
  return edits;
}

std::vector<Edit> make_constant(const ir::Graph& graph) {
  std::vector<Edit> edits;
  for (ir::Node* node = graph.first(); node != nullptr; node = node->next()) {
    const bool is_leaf = node->op() == ir::OpKind::parameter || node->op() == ir::OpKind::constant;
    if (is_leaf && !is_dense_constant(*node)) continue;
    for (int i = 0; i < node->num_results(); ++i) {
      edits.push_back(replace_by_splat(graph, node->result(i), 0));
      edits.push_back(replace_by_splat(graph, node->result(i), 1));
    }
  }
  return edits;
}

std::vector<Edit> make_parameter(const ir::Graph& graph) {
  std::vector<Edit> edits;
  for (ir::Node* node = graph.first(); node != nullptr; node = node->next()) {
    if (!is_dense_constant(*node)) continue;
    edits.emplace_back([&graph, node] {
      return replaced(graph, node->result(), [&](const EditCopy& copy) {
        ir::Node* parameter = copy.graph().add_parameter(node->type(), node->name());
        parameter->set_location(node->location());
        return parameter->result();
      });
    });
  }
  return edits;
}

std::vector<Edit> merge_leaves(const ir::Graph& graph) {
  std::vector<Edit> edits;
  std::vector<ir::Value> firsts;
  for (ir::Node* node = graph.first(); node != nullptr; node = node->next()) {
    if (node->op() != ir::OpKind::parameter && node->op() != ir::OpKind::constant) continue;
    const ir::Value value = node->result();
    std::optional<ir::Value> other;
    for (const ir::Value& first : firsts) {
      if (!other && first.type() == value.type()) other = first;
    }
    if (other) {
      edits.push_back(replace_by(graph, value, *other));
    } else {
      firsts.push_back(value);
    }
  }
  return edits;
}

std::vector<Edit> drop_attributes(const ir::Graph& graph) {
  std::vector<Edit> edits;
  for (ir::Node* node = graph.first(); node != nullptr; node = node->next()) {
    for (const auto& [name, value] : node->attributes().entries()) {
      edits.emplace_back([&graph, node, attribute = name] {
        EditCopy copy(graph);
        copy(node)->attributes().erase(attribute);
        return copy.take();
      });
    }
  }
  return edits;
}

}  // namespace wick::reduce
