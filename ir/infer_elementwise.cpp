#include "wick/ir/format.h"
#include "wick/ir/infer_rules.h"

// Recording calls these for most ops: no allocation on the way where shapes agree.

namespace wick::ir {
namespace {

[[noreturn]] void fail_broadcast(const Inference& call) {
  if (call.operands.size() == 2) {
    call.fail(fmt::format("shapes do not broadcast: {} and {}", call.operand(0), call.operand(1)));
  }
  call.fail(fmt::format(
      "shapes do not broadcast: {}, {} and {}", call.operand(0), call.operand(1), call.operand(2)));
}

Shape broadcast(const Inference& call, const Shape& a, const Shape& b) {
  if (a == b || b.ndim() == 0) return a;
  std::optional<Shape> shape = broadcast_shapes(a, b);
  if (!shape) fail_broadcast(call);
  return *std::move(shape);
}

Type infer_with(const Inference& call, DType dtype) {
  const Type& first = call.operand(0);
  if (call.operands.size() == 1) return {dtype, first.shape};
  call.require_same_dtype(first, call.operand(1));
  return {dtype, broadcast(call, first.shape, call.operand(1).shape)};
}

}  // namespace

Type infer_same(const Inference& call) {
  return infer_with(call, call.operand(0).dtype);
}

Type infer_numeric(const Inference& call) {
  for (const Type* type : call.operands) {
    if (type->dtype == DType::bool_) {
      call.fail(fmt::format("needs a numeric operand, got {}", *type));
    }
  }
  return infer_same(call);
}

Type infer_cast(const Inference& call) {
  return {call.required_dtype("dtype"), call.operand(0).shape};
}

Type infer_bitcast(const Inference& call) {
  const Type& x = call.operand(0);
  const DType dtype = call.required_dtype("dtype");
  const bool has_bool = x.dtype == DType::bool_ || dtype == DType::bool_;
  if (has_bool || size_of(x.dtype) != size_of(dtype)) {
    call.fail(fmt::format("the bits of {} are none of {}", x, dtype));
  }
  return {dtype, x.shape};
}

Type infer_compare(const Inference& call) {
  return infer_with(call, DType::bool_);
}

Type infer_where(const Inference& call) {
  const Type& condition = call.operand(0);
  const Type& chosen = call.operand(1);
  const Type& other = call.operand(2);
  if (condition.dtype != DType::bool_) {
    call.fail(fmt::format("condition should be bool, got {}", condition));
  }
  call.require_same_dtype(chosen, other);
  return {chosen.dtype,
          broadcast(call, broadcast(call, chosen.shape, other.shape), condition.shape)};
}

}  // namespace wick::ir
