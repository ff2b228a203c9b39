#include "programs_by_op.h"

#include <cmath>
#include <limits>
#include <string>

#include <fmt/format.h>

#include "wick/ir/builder.h"
#include "wick/ir/error.h"

namespace {

using wick::DType;
using wick::Literal;
using wick::Shape;
using wick::Type;
using wick::ir::Attributes;
using wick::ir::Builder;
using wick::ir::Graph;
using wick::ir::OpKind;
using wick::ir::Value;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();
// 2049, -2051 and 1.00390625 lie halfway between two f16 or two bf16.
constexpr double kFloats[] = {0,
                              -0.0,
                              1,
                              -1,
                              0.5,
                              -2.5,
                              3.5,
                              7.25,
                              -0.125,
                              2049,
                              -2051,
                              kNan,
                              kInfinity,
                              -kInfinity,
                              1e-6,
                              60000,
                              -2e4,
                              1.00390625};
constexpr int64_t kIntegers[] = {0,
                                 1,
                                 -1,
                                 2,
                                 3,
                                 -7,
                                 13,
                                 31,
                                 64,
                                 -128,
                                 127,
                                 255,
                                 32767,
                                 40000,
                                 INT32_MIN,
                                 INT32_MAX,
                                 INT64_MIN,
                                 INT64_MAX};
constexpr int64_t kCount = std::size(kFloats);
static_assert(std::size(kIntegers) == kCount);

/// Adds the op as a result, if it takes such operands.
void add_result(Graph& graph, OpKind op, std::vector<Value> operands, Attributes attributes = {}) {
  try {
    graph.add_result(Builder(graph).op(op, std::move(operands), std::move(attributes)));
  } catch (const wick::Error&) {
    // It does not: there is a dtype that it takes, or the caller finds the op missing.
  }
}

/// Binary ops see every pair of the values, by broadcasting a column and a row of them.
std::unique_ptr<Graph> elementwise_program(DType dtype) {
  auto graph = std::make_unique<Graph>(fmt::format("elementwise_{}", to_string(dtype)));
  const Value x = graph->add_parameter({dtype, {kCount, 1}}, "x")->result();
  const Value y = graph->add_parameter({dtype, {1, kCount}}, "y")->result();
  const Value condition = graph->add_parameter({DType::bool_, {kCount, 1}}, "condition")->result();
  for (int i = 0; i < wick::ir::kNumOps; ++i) {
    const auto op = static_cast<OpKind>(i);
    if (!has(op, wick::ir::kElementwise)) continue;
    if (op == OpKind::cast || op == OpKind::bitcast) {
      for (int to = 0; to < wick::kNumDTypes; ++to)
        add_result(*graph, op, {x}, {{"dtype", static_cast<DType>(to)}});
    } else if (op == OpKind::where) {
      add_result(*graph, op, {condition, x, y});
    } else if (op_info(op).max_operands == 1) {
      add_result(*graph, op, {x});
    } else {
      add_result(*graph, op, {x, y});
    }
  }
  return graph;
}

/// Over rows, over columns, over all, and over a long row that several tasks share.
std::unique_ptr<Graph> reduction_program(DType dtype, const Shape& shape) {
  auto graph =
      std::make_unique<Graph>(fmt::format("reductions_{}_of_{}", to_string(dtype), shape.numel()));
  const Value x = graph->add_parameter({dtype, shape}, "x")->result();
  for (int i = 0; i < wick::ir::kNumOps; ++i) {
    const auto op = static_cast<OpKind>(i);
    if (!has(op, wick::ir::kReduction)) continue;
    for (const std::vector<int64_t>& axes : {std::vector<int64_t>{0}, {1}, {0, 1}})
      add_result(*graph, op, {x}, {{"axes", axes}});
  }
  return graph;
}

}  // namespace

std::vector<std::unique_ptr<Graph>> programs_by_op() {
  std::vector<std::unique_ptr<Graph>> programs;
  for (int i = 0; i < wick::kNumDTypes; ++i) {
    const auto dtype = static_cast<DType>(i);
    programs.push_back(elementwise_program(dtype));
    programs.push_back(reduction_program(dtype, {7, 23}));
    programs.push_back(reduction_program(dtype, {2, 70000}));
  }
  return programs;
}

Literal awkward_values(const Type& type) {
  Literal values(type);
  const size_t size = size_of(type.dtype);
  const bool is_long = type.numel() > 1000;  // sums of many should stay finite
  for (int64_t i = 0; i < type.numel(); ++i) {
    const double small = std::sin(static_cast<double>(i));
    const Literal one = is_float(type.dtype)
                            ? Literal::scalar(type.dtype, is_long ? small : kFloats[i % kCount])
                            : Literal::scalar_integer(type.dtype, kIntegers[i % kCount]);
    std::memcpy(values.data() + static_cast<size_t>(i) * size, one.data(), size);
  }
  return values;
}
