#include <span>
#include <stdexcept>
#include <vector>

#include "my_ops.h"

#include "wick/autograd/custom_op_gradient.h"
#include "wick/ir/builder.h"
#include "wick/ir/custom_op.h"
#include "wick/tensor/ops.h"

namespace my_ops {
namespace {

using wick::Tensor;
using wick::ir::Attributes;
using wick::ir::OpKind;
using wick::ir::Value;

wick::Type infer(wick::ir::OperandTypes operands,
                 const Attributes& /*attributes*/,
                 const wick::Location& where) {
  if (!wick::is_float(operands[0]->dtype)) {
    throw std::invalid_argument("needs floats, got " + to_string(*operands[0]));
  }
  return wick::ir::infer_type(OpKind::add, operands, {}, where);  // one dtype, shapes broadcast
}

Value expand(wick::ir::Builder& b, std::span<const Value> operands, const Attributes& attributes) {
  const Value x = b.op(OpKind::mul, {operands[0], operands[0]});
  const Value y = b.op(OpKind::mul, {operands[1], operands[1]});
  const Value eps = b.scalar(x.type().dtype, attributes.number("eps", 0));
  return b.op(OpKind::sqrt, {b.op(OpKind::add, {b.op(OpKind::add, {x, y}), eps})});
}

/// x / hypot and y / hypot; Wick sums over axes that broadcasting stretched.
std::vector<Tensor> gradient(std::span<const Tensor> inputs,
                             const Tensor& output,
                             const Tensor& cotangent,
                             const Attributes& /*attributes*/) {
  const Tensor scaled = cotangent / output;
  return {scaled * inputs[0], scaled * inputs[1]};
}

}  // namespace

void register_geo_hypot() {
  wick::ir::register_custom_op({.name = "geo.hypot",
                                .summary = "sqrt(x^2 + y^2 + `eps`)",
                                .min_operands = 2,
                                .max_operands = 2,
                                .infer = infer,
                                .expand = expand});
  wick::register_custom_gradient("geo.hypot", gradient);
}

}  // namespace my_ops
