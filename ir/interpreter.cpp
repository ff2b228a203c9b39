#include "wick/ir/interpreter.h"

#include <algorithm>
#include <array>

#include "wick/ir/check.h"
#include "wick/ir/interpret_rules.h"
#include "wick/ir/strided_walk.h"

namespace wick::ir {
namespace {

struct RuleRow {
  OpKind op;
  InterpretRule rule;
};

constexpr RuleRow kRows[] = {
    {OpKind::broadcast, interpret_strided},
    {OpKind::reshape, interpret_strided},
    {OpKind::permute, interpret_strided},
    {OpKind::slice, interpret_strided},
    {OpKind::concat, interpret_concat},
    {OpKind::pad, interpret_pad},
    {OpKind::gather, interpret_gather},
    {OpKind::scatter, interpret_scatter},
    {OpKind::scan, interpret_scan},
    {OpKind::argsort, interpret_argsort},
    {OpKind::barrier, interpret_barrier},
    {OpKind::matmul, interpret_matmul},
    {OpKind::conv, interpret_conv},
    {OpKind::conv_input_grad, interpret_conv_input_grad},
    {OpKind::conv_weight_grad, interpret_conv_weight_grad},
    {OpKind::max_pool2d, interpret_max_pool2d},
    {OpKind::max_pool2d_grad, interpret_max_pool2d_grad},
    {OpKind::avg_pool2d, interpret_avg_pool2d},
    {OpKind::avg_pool2d_grad, interpret_avg_pool2d_grad},
    {OpKind::constant, interpret_constant},
    {OpKind::iota, interpret_iota},
    {OpKind::random_bits, interpret_random_bits},
    {OpKind::custom, interpret_custom},
};

constexpr uint32_t kTraits[] = {
#define WICK_OP(name, min_operands, max_operands, infer, traits, summary) traits,
#include "wick/ir/ops.def"
#undef WICK_OP
};

constexpr std::array<InterpretRule, kNumOps> make_rules() {
  std::array<InterpretRule, kNumOps> rules{};
  for (size_t i = 0; i < rules.size(); ++i) {
    if ((kTraits[i] & kElementwise) != 0) rules[i] = interpret_elementwise;
    if ((kTraits[i] & kReduction) != 0) rules[i] = interpret_reduction;
  }
  for (const RuleRow& row : kRows) {
    rules[static_cast<size_t>(row.op)] = row.rule;
  }
  return rules;
}

constexpr auto kRules = make_rules();

constexpr bool has_row(OpKind op) {
  return std::ranges::any_of(kRows, [op](const RuleRow& row) { return row.op == op; });
}

// By rows: sanitizers keep GCC from comparing addresses of functions in constant expressions.
constexpr bool is_complete() {
  constexpr uint32_t kElsewhere = kElementwise | kReduction | kStructure;
  for (size_t i = 0; i < kNumOps; ++i) {
    if ((kTraits[i] & kElsewhere) == 0 && !has_row(static_cast<OpKind>(i))) return false;
  }
  return true;
}

static_assert(is_complete(), "every op has a rule");

using LiteralPointers = std::vector<const Literal*>;

/// How values are kept: the body of a fusion becomes a kernel, where half types live in f32.
enum class Keeping : uint8_t { as_typed, halves_in_f32 };

Literal in_dtype(const Literal& literal, DType dtype) {
  return narrow(widen<double>(literal), {dtype, literal.type().shape});
}

/// The values of one run of a graph, each kept until its last reader has run.
class Evaluation {
 public:
  Evaluation(const Graph& graph, std::span<const Literal* const> parameters, Keeping keeping)
      : graph_(graph),
        keeping_(keeping),
        values_(static_cast<size_t>(graph.id_bound())),
        readers_(static_cast<size_t>(graph.id_bound())) {
    check(parameters.size() == graph.parameters().size(), "each parameter has a value");
    for (size_t i = 0; i < parameters.size(); ++i) {
      const Node* node = graph.parameters()[i];
      check(node->type() == parameters[i]->type(), "a parameter's value has its type");
      slot(node).pointers = {parameters[i]};
      if (is_widened(node->type())) {
        slot(node).owned.push_back(in_dtype(*parameters[i], DType::f32));
        slot(node).pointers = {&slot(node).owned.front()};
      }
    }
  }

  std::vector<Literal> run(const NodeObserver& observer = {});

 private:
  struct Slot {
    std::vector<Literal> owned;
    LiteralPointers pointers;
  };

  Slot& slot(const Node* node) { return values_[static_cast<size_t>(node->id())]; }

  const Literal* value(Value value) {
    return slot(value.node).pointers[static_cast<size_t>(value.index)];
  }

  [[nodiscard]] bool is_widened(const Type& type) const {
    return keeping_ == Keeping::halves_in_f32 && is_half(type.dtype);
  }

  std::vector<Literal> evaluate(const Node& node, const LiteralPointers& operands);
  Literal evaluate_op(const Node& node, const LiteralPointers& operands);
  Literal evaluate_as_typed(const Node& node, const LiteralPointers& operands);
  void release_operands(const Node& node);

  const Graph& graph_;
  Keeping keeping_;
  std::vector<Slot> values_;
  std::vector<size_t> readers_;  // uses that have run
};

// Recursive in the nesting of fusions only, which the verifier keeps at one.
std::vector<Literal> Evaluation::evaluate(const Node& node, const LiteralPointers& operands) {
  if (node.op() == OpKind::fusion) {
    return Evaluation(*node.body(), operands, Keeping::halves_in_f32).run();
  }
  std::vector<Literal> results;
  if (node.op() == OpKind::custom) {
    const OpCall call{node.op(), node.attributes(), operands, node.type()};
    results.push_back(interpret_custom_at(call, node.location()));
  } else {
    results.push_back(evaluate_op(node, operands));
  }
  return results;
}

Literal Evaluation::evaluate_op(const Node& node, const LiteralPointers& operands) {
  // These round, or look at bits; the others compute on in f32.
  const bool is_exact =
      node.op() == OpKind::cast || node.op() == OpKind::bitcast || node.op() == OpKind::constant;
  if (keeping_ == Keeping::halves_in_f32 && is_exact) return evaluate_as_typed(node, operands);
  Type type = node.type();
  if (is_widened(type)) type.dtype = DType::f32;
  return interpret_op(node.op(), node.attributes(), operands, type);
}

Literal Evaluation::evaluate_as_typed(const Node& node, const LiteralPointers& operands) {
  std::vector<Literal> typed;
  LiteralPointers pointers = operands;
  const bool reads_bits = node.op() == OpKind::bitcast && is_widened(node.operand(0).type());
  if (reads_bits) {
    typed.push_back(in_dtype(*operands[0], node.operand(0).type().dtype));
    pointers = {&typed.front()};
  }
  Literal result = interpret_op(node.op(), node.attributes(), pointers, node.type());
  return is_widened(node.type()) ? in_dtype(result, DType::f32) : result;
}

void Evaluation::release_operands(const Node& node) {
  for (const Value& operand : node.operands()) {
    const Node* source = operand.node;
    if (++readers_[static_cast<size_t>(source->id())] == source->uses().size()) {
      slot(source) = {};
    }
  }
}

std::vector<Literal> Evaluation::run(const NodeObserver& observer) {
  for (const Node* node = graph_.first(); node != nullptr; node = node->next()) {
    if (node->op() == OpKind::parameter) continue;
    LiteralPointers operands;
    for (const Value& operand : node->operands()) {
      operands.push_back(value(operand));
    }
    Slot& made = slot(node);
    made.owned = evaluate(*node, operands);
    if (observer) observer(*node, made.owned);
    for (const Literal& literal : made.owned) {
      made.pointers.push_back(&literal);
    }
    release_operands(*node);
    if (!node->has_uses()) made = {};
  }
  std::vector<Literal> results;
  for (const Value& result : graph_.results()) {
    const bool rounds = is_widened(result.type());
    results.push_back(rounds ? in_dtype(*value(result), result.type().dtype) : *value(result));
  }
  return results;
}

}  // namespace

std::vector<Literal> interpret(const Graph& graph,
                               std::span<const Literal> parameters,
                               const NodeObserver& observer) {
  LiteralPointers pointers;
  for (const Literal& parameter : parameters) {
    pointers.push_back(&parameter);
  }
  return Evaluation(graph, pointers, Keeping::as_typed).run(observer);
}

Literal interpret_op(OpKind op,
                     const Attributes& attributes,
                     std::span<const Literal* const> operands,
                     const Type& result) {
  const InterpretRule rule = kRules[static_cast<size_t>(op)];
  check(rule != nullptr, "parameters and fusions are not evaluated as ops");
  return rule({op, attributes, operands, result});
}

Literal interpret_constant(const OpCall& call) {
  return call.attributes.literal("value");
}

Literal interpret_iota(const OpCall& call) {
  const Shape& shape = call.result.shape;
  const auto axis = static_cast<size_t>(call.attributes.integer("axis", 0));
  Strides strides(static_cast<size_t>(shape.ndim()), 0);
  strides[axis] = 1;
  std::vector<int64_t> out(static_cast<size_t>(call.result.numel()));
  walk<1>(shape, {std::move(strides)}, {0}, [&](int64_t i, const auto& at) {
    out[static_cast<size_t>(i)] = at[0];
  });
  return narrow(out, call.result);
}

}  // namespace wick::ir
