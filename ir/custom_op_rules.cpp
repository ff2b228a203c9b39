// How the IR infers, interprets and expands ops that are registered from outside.

#include <exception>
#include <new>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "wick/ir/builder.h"
#include "wick/ir/custom_op.h"
#include "wick/ir/format.h"
#include "wick/ir/infer_rules.h"
#include "wick/ir/interpret_rules.h"
#include "wick/ir/interpreter.h"

namespace wick::ir {
namespace {

/// An expansion inside this many others never ends.
constexpr int kMaxNesting = 100;

constexpr std::string_view kInExpansion = "in its expansion: ";

/// Calls the op's own code; what it throws becomes an Error of the op at the place of its use.
template <typename Function>
auto guarded(const CustomOp& op, const Location& where, std::string_view doing, Function&& run) {
  try {
    return run();
  } catch (const Error& error) {
    if (error.op() == op.name) throw Error(where, op.name, error.text());
    throw Error(where, op.name, fmt::format("{}{}: {}", doing, error.op(), error.text()));
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& failure) {
    throw Error(where, op.name, fmt::format("{}{}", doing, failure.what()));
  }
}

void check_value(const Value& value, const Graph& graph, const Type& type) {
  if (!value || &value.node->graph() != &graph) {
    throw std::runtime_error("it gives no value of this graph");
  }
  if (value.type() != type) {
    throw std::runtime_error(fmt::format("its value is {}, not {}", value.type(), type));
  }
}

Value expansion_of(const CustomOp& op, Node& node) {
  return guarded(op, node.location(), kInExpansion, [&] {
    Builder builder(node);
    const Value value = op.expand(builder, node.operands(), node.attributes());
    check_value(value, node.graph(), node.type());
    return value;
  });
}

Literal interpret_expansion(const CustomOp& op, const OpCall& call) {
  Graph graph(op.name);
  std::vector<Value> operands;
  std::vector<Literal> values;
  for (const Literal* operand : call.operands) {
    operands.push_back(graph.add_parameter(operand->type())->result());
    values.push_back(*operand);
  }
  Builder builder(graph);
  const Value value = op.expand(builder, operands, call.attributes);
  check_value(value, graph, call.result);
  graph.set_results({value});
  expand_custom_ops(graph);  // so that an op inside itself is found out
  return std::move(interpret(graph, values).front());
}

Literal interpret_call(const CustomOp& op, const OpCall& call) {
  std::vector<const void*> operands;
  std::vector<Type> types;
  for (const Literal* operand : call.operands) {
    operands.push_back(operand->data());
    types.push_back(operand->type());
  }
  Literal result(call.result);
  op.call(operands.data(), result.data(), {types, call.result, call.attributes});
  return result;
}

/// The first node of the expansion, or what follows if there is none.
Node* replace_by_expansion(const CustomOp& op, Node& node) {
  Graph& graph = node.graph();
  Node* const previous = node.previous();
  const int first_id = graph.id_bound();
  const Value value = expansion_of(op, node);
  const bool is_new = value.node->id() >= first_id;
  if (is_new && value.node->name(value.index).empty()) {
    value.node->set_name(node.name(), value.index);
  }
  graph.replace_all_uses(node.result(), value);
  graph.erase(&node);
  return previous == nullptr ? graph.first() : previous->next();
}

const CustomOp* expandable(const Node& node) {
  if (node.op() != OpKind::custom) return nullptr;
  const CustomOp* op = find_custom_op(node.op_name());
  return op != nullptr && op->expand ? op : nullptr;
}

}  // namespace

Type infer_custom(const Inference& call) {
  if (!call.attributes.has("op")) call.fail("attribute op is missing");
  const std::string& name = call.attributes.text("op");
  const CustomOp* op = find_custom_op(name);
  if (op == nullptr) call.fail(unregistered_text(name));
  call.require_count(op->min_operands, op->max_operands);
  return guarded(
      *op, call.where, "", [&] { return op->infer(call.operands, call.attributes, call.where); });
}

Literal interpret_custom(const OpCall& call) {
  return interpret_custom_at(call, {});
}

Literal interpret_custom_at(const OpCall& call, const Location& where) {
  const std::string_view name = op_name(call.op, call.attributes);
  const CustomOp* op = find_custom_op(name);
  if (op == nullptr) throw Error(where, name, unregistered_text(name));
  if (!op->interpret && op->expand) {
    return guarded(*op, where, kInExpansion, [&] { return interpret_expansion(*op, call); });
  }
  return guarded(*op, where, "", [&] {
    if (!op->interpret) return interpret_call(*op, call);
    Literal result = op->interpret(call.attributes, call.operands, call.result);
    if (result.type() != call.result) {
      throw std::runtime_error(
          fmt::format("interpret gives {}, not {}", result.type(), call.result));
    }
    return result;
  });
}

int64_t expand_custom_ops(Graph& graph) {
  std::vector<int> nesting(static_cast<size_t>(graph.id_bound()));  // by id
  int64_t count = 0;
  Node* node = graph.first();
  while (node != nullptr) {
    const CustomOp* op = expandable(*node);
    if (op == nullptr) {
      node = node->next();
      continue;
    }
    const int depth = nesting[static_cast<size_t>(node->id())] + 1;
    if (depth > kMaxNesting) throw Error(node->location(), op->name, "its expansion does not end");
    node = replace_by_expansion(*op, *node);
    nesting.resize(static_cast<size_t>(graph.id_bound()), depth);
    ++count;
  }
  return count;
}

}  // namespace wick::ir
