#include <fmt/ranges.h>

#include "wick/ir/format.h"
#include "wick/ir/infer_rules.h"

namespace wick::ir {
namespace {

void check_axes(const Inference& call, const std::vector<int64_t>& axes) {
  const Type& x = call.operand(0);
  int64_t previous = -1;
  for (const int64_t axis : axes) {
    if (axis < 0 || axis >= x.shape.ndim()) {
      call.fail(fmt::format("axis {} is out of range for {}", axis, x));
    }
    if (axis <= previous) {
      call.fail(fmt::format("axes [{}] should rise, each once", fmt::join(axes, ",")));
    }
    previous = axis;
  }
}

Shape reduced_shape(const Inference& call) {
  const std::vector<int64_t>& axes = call.attributes.integers("axes");
  check_axes(call, axes);
  const Shape& shape = call.operand(0).shape;
  if (call.attributes.flag("keepdims")) {
    Shape kept = shape;
    for (const int64_t axis : axes) {
      kept.set(static_cast<int>(axis), 1);
    }
    return kept;
  }
  std::vector<int64_t> extents;
  extents.reserve(static_cast<size_t>(shape.ndim()));
  auto reduced = axes.begin();
  for (int axis = 0; axis < shape.ndim(); ++axis) {
    if (reduced != axes.end() && *reduced == axis) {
      ++reduced;
    } else {
      extents.push_back(shape[axis]);
    }
  }
  return Shape(std::span<const int64_t>(extents));
}

/// Largest and smallest of nothing do not exist.
void require_elements(const Inference& call, const Shape& result) {
  const Type& x = call.operand(0);
  if (x.numel() == 0 && result.numel() != 0) {
    call.fail(fmt::format("no elements to reduce in {} over axes [{}]",
                          x,
                          fmt::join(call.attributes.integers("axes"), ",")));
  }
}

}  // namespace

Type infer_reduce(const Inference& call) {
  Shape shape = reduced_shape(call);
  if (call.op == OpKind::reduce_max || call.op == OpKind::reduce_min) {
    require_elements(call, shape);
  }
  return {call.operand(0).dtype, std::move(shape)};
}

Type infer_arg_reduce(const Inference& call) {
  Shape shape = reduced_shape(call);
  require_elements(call, shape);
  return {DType::i64, std::move(shape)};
}

}  // namespace wick::ir
