#include "support/sample_ops.h"

#include <algorithm>
#include <stdexcept>

#include "wick/ir/builder.h"
#include "wick/ir/custom_op.h"

namespace wick {
namespace {

using ir::Attributes;
using ir::CustomCallInfo;
using ir::OpKind;
using ir::Value;
using Literals = std::span<const Literal* const>;

Type infer_as_add(ir::OperandTypes operands, const Attributes& /*own*/, const Location& where) {
  return ir::infer_type(OpKind::add, operands, {}, where);
}

Type infer_first(ir::OperandTypes operands, const Attributes& /*own*/, const Location& /*where*/) {
  return *operands[0];
}

Type infer_vector(ir::OperandTypes operands, const Attributes& /*own*/, const Location& /*where*/) {
  const Type& x = *operands[0];
  if (x.dtype != DType::f32 || x.shape.ndim() == 0) {
    throw std::invalid_argument("needs an f32 operand with an axis, got " + to_string(x));
  }
  return x;
}

Value expand_hypot(ir::Builder& b, std::span<const Value> operands, const Attributes& attributes) {
  const Value x = b.op(OpKind::mul, {operands[0], operands[0]});
  const Value y = b.op(OpKind::mul, {operands[1], operands[1]});
  const Value eps = b.scalar(x.type().dtype, attributes.number("eps", 0));
  return b.op(OpKind::sqrt, {b.op(OpKind::add, {b.op(OpKind::add, {x, y}), eps})});
}

void call_running_sum(const void* const* operands, void* result, const CustomCallInfo& info) {
  const auto* x = static_cast<const float*>(operands[0]);
  auto* sums = static_cast<float*>(result);
  const int64_t row = info.result.shape[info.result.shape.ndim() - 1];
  for (int64_t i = 0; i < info.result.numel(); ++i) {
    sums[i] = x[i] + (i % row == 0 ? 0.0F : sums[i - 1]);
  }
}

Literal interpret_twice(const Attributes& /*own*/, Literals operands, const Type& result) {
  Literal twice(result);
  for (int64_t i = 0; i < result.numel(); ++i) {
    const Literal element = Literal::scalar(result.dtype, 2 * operands[0]->as_double(i));
    std::ranges::copy(element.bytes(),
                      twice.data() + i * static_cast<int64_t>(size_of(result.dtype)));
  }
  return twice;
}

Literal interpret_ratio(const Attributes& /*own*/, Literals operands, const Type& result) {
  Literal ratio(result);
  for (size_t i = 0; i < ratio.mutable_values<float>().size(); ++i) {
    ratio.mutable_values<float>()[i] =
        operands[0]->values<float>()[i] / operands[1]->values<float>()[i];
  }
  return ratio;
}

void call_ratio(const void* const* operands, void* result, const CustomCallInfo& info) {
  for (int64_t i = 0; i < info.result.numel(); ++i) {
    static_cast<float*>(result)[i] =
        static_cast<const float*>(operands[0])[i] / static_cast<const float*>(operands[1])[i];
  }
}

void call_failing(const void* const* /*operands*/,
                  void* /*result*/,
                  const CustomCallInfo& /*info*/) {
  throw std::runtime_error("the machine is on fire");
}

bool register_all() {
  ir::register_custom_op({.name = "sample.hypot",
                          .summary = "sqrt(x^2 + y^2 + eps)",
                          .min_operands = 2,
                          .max_operands = 2,
                          .infer = infer_as_add,
                          .expand = expand_hypot});
  ir::register_custom_op({.name = "sample.running_sum",
                          .summary = "sums along the last axis",
                          .infer = infer_vector,
                          .call = call_running_sum});
  ir::register_custom_op({.name = "sample.twice",
                          .summary = "x + x",
                          .infer = infer_first,
                          .interpret = interpret_twice});
  ir::register_custom_op(
      {.name = "sample.ratio",
       .summary = "x / y",
       .min_operands = 2,
       .max_operands = 2,
       .infer = infer_as_add,
       .interpret = interpret_ratio,
       .expand = [](ir::Builder& b,
                    std::span<const Value> operands,
                    const Attributes&) { return b.op(OpKind::div, {operands[0], operands[1]}); },
       .call = call_ratio});
  ir::register_custom_op(
      {.name = "sample.nested",
       .summary = "hypot of x and x",
       .infer = infer_first,
       .expand = [](ir::Builder& b, std::span<const Value> operands, const Attributes&) {
         return b.custom("sample.hypot", {operands[0], operands[0]});
       }});
  ir::register_custom_op(
      {.name = "sample.endless",
       .summary = "never there",
       .infer = infer_first,
       .expand = [](ir::Builder& b, std::span<const Value> operands, const Attributes&) {
         return b.custom("sample.endless", {operands[0]});
       }});
  ir::register_custom_op(
      {.name = "sample.wrong",
       .summary = "not of its type",
       .infer = infer_first,
       .expand = [](ir::Builder& b, std::span<const Value> operands, const Attributes&) {
         return b.op(OpKind::reduce_sum, {operands[0]}, {{"axes", std::vector<int64_t>{0}}});
       }});
  ir::register_custom_op({.name = "sample.failing",
                          .summary = "fails when it runs",
                          .infer = infer_first,
                          .call = call_failing});
  return true;
}

}  // namespace

void register_sample_ops() {
  static const bool registered = register_all();
  (void)registered;
}

}  // namespace wick
