#include <algorithm>

#include <fmt/ranges.h>

#include "wick/ir/format.h"
#include "wick/ir/infer_rules.h"

namespace wick::ir {
namespace {

void check_slice_axis(const Inference& call, int axis, int64_t start, int64_t size, int64_t step) {
  const Type& x = call.operand(0);
  if (size < 0) call.fail(fmt::format("size {} of axis {} is negative", size, axis));
  if (step == 0) call.fail(fmt::format("step of axis {} is 0", axis));
  if (size == 0) return;
  int64_t last = 0;
  const bool overflow =
      __builtin_mul_overflow(size - 1, step, &last) || __builtin_add_overflow(last, start, &last);
  const int64_t extent = x.shape[axis];
  if (overflow || start < 0 || start >= extent || last < 0 || last >= extent) {
    call.fail(
        fmt::format("start {}, size {}, step {} leave axis {} of {}", start, size, step, axis, x));
  }
}

/// Extent of one padded axis; negative when cropping takes more than there is.
int64_t padded_extent(
    const Inference& call, int64_t extent, int64_t low, int64_t high, int64_t interior) {
  int64_t result = 0;
  const bool overflow =
      __builtin_mul_overflow(std::max<int64_t>(extent - 1, 0), interior, &result) ||
      __builtin_add_overflow(result, extent, &result) ||
      __builtin_add_overflow(result, low, &result) || __builtin_add_overflow(result, high, &result);
  if (overflow) call.fail(fmt::format("result of padding {} is too large", call.operand(0)));
  return result;
}

void require_indices(const Inference& call, const Type& indices) {
  if (indices.dtype == DType::i32 || indices.dtype == DType::i64) return;
  call.fail(fmt::format("indices should be i32 or i64, got {}", indices));
}

Shape gathered_shape(const Inference& call) {
  const Type& x = call.operand(0);
  const Type& indices = call.operand(1);
  const int axis = call.axis_of(x);
  require_indices(call, indices);
  std::vector<int64_t> extents(x.shape.begin(), x.shape.begin() + axis);
  extents.insert(extents.end(), indices.shape.begin(), indices.shape.end());
  extents.insert(extents.end(), x.shape.begin() + axis + 1, x.shape.end());
  return Shape(std::span<const int64_t>(extents));
}

Shape shape_gathered_along(const Inference& call) {
  const Type& x = call.operand(0);
  const Type& indices = call.operand(1);
  const int axis = call.axis_of(x);
  require_indices(call, indices);
  Shape beside = x.shape;
  if (indices.shape.ndim() == beside.ndim()) beside.set(axis, indices.shape[axis]);
  if (indices.shape != beside) {
    call.fail(fmt::format("indices {} do not fit {} beside axis {}", indices, x, axis));
  }
  return indices.shape;
}

}  // namespace

Type infer_broadcast(const Inference& call) {
  const Type& x = call.operand(0);
  Shape shape = call.required_shape("shape");
  const std::optional<Shape> joined = broadcast_shapes(x.shape, shape);
  if (!joined || *joined != shape) {
    call.fail(fmt::format("{} does not broadcast to {}", x, shape));
  }
  return {x.dtype, std::move(shape)};
}

Type infer_reshape(const Inference& call) {
  const Type& x = call.operand(0);
  Shape shape = call.required_shape("shape");
  if (shape.numel() != x.numel()) {
    call.fail(
        fmt::format("{} has {} elements, shape {} has {}", x, x.numel(), shape, shape.numel()));
  }
  return {x.dtype, std::move(shape)};
}

Type infer_permute(const Inference& call) {
  const Type& x = call.operand(0);
  const std::vector<int64_t>& axes = call.required_integers("axes");
  std::vector<bool> seen(static_cast<size_t>(x.shape.ndim()));
  bool fits = axes.size() == seen.size();
  Shape shape = x.shape;
  for (size_t i = 0; fits && i < axes.size(); ++i) {
    fits = axes[i] >= 0 && axes[i] < x.shape.ndim() && !seen[static_cast<size_t>(axes[i])];
    if (!fits) break;
    seen[static_cast<size_t>(axes[i])] = true;
    shape.set(static_cast<int>(i), x.shape[static_cast<int>(axes[i])]);
  }
  if (!fits) {
    call.fail(
        fmt::format("axes [{}] are not a permutation of the axes of {}", fmt::join(axes, ","), x));
  }
  return {x.dtype, std::move(shape)};
}

Type infer_slice(const Inference& call) {
  const Type& x = call.operand(0);
  const int rank = x.shape.ndim();
  if (!call.attributes.has("sizes")) call.fail("attribute sizes is missing");
  const std::vector<int64_t> starts = call.per_axis("starts", rank, 0);
  const std::vector<int64_t> sizes = call.per_axis("sizes", rank, 0);
  const std::vector<int64_t> steps = call.per_axis("steps", rank, 1);
  for (int axis = 0; axis < rank; ++axis) {
    const auto i = static_cast<size_t>(axis);
    check_slice_axis(call, axis, starts[i], sizes[i], steps[i]);
  }
  return {x.dtype, Shape(std::span<const int64_t>(sizes))};
}

Type infer_concat(const Inference& call) {
  const Type& first = call.operand(0);
  const int axis = call.axis_of(first);
  Shape shape = first.shape;
  for (size_t i = 1; i < call.operands.size(); ++i) {
    const Type& next = call.operand(i);
    call.require_same_dtype(first, next);
    bool fits = next.shape.ndim() == shape.ndim();
    for (int d = 0; fits && d < shape.ndim(); ++d) {
      fits = d == axis || next.shape[d] == shape[d];
    }
    if (!fits) call.fail(fmt::format("{} and {} differ beside axis {}", first, next, axis));
    int64_t extent = 0;
    if (__builtin_add_overflow(shape[axis], next.shape[axis], &extent)) {
      call.fail(fmt::format("axis {} of the result is too long", axis));
    }
    shape.set(axis, extent);
  }
  return {first.dtype, std::move(shape)};
}

Type infer_pad(const Inference& call) {
  const Type& x = call.operand(0);
  const Type& value = call.operand(1);
  call.require_same_dtype(x, value);
  if (value.shape.ndim() != 0) call.fail(fmt::format("value should be a scalar, got {}", value));
  const int rank = x.shape.ndim();
  const std::vector<int64_t> low = call.per_axis("low", rank, 0);
  const std::vector<int64_t> high = call.per_axis("high", rank, 0);
  const std::vector<int64_t> interior = call.per_axis("interior", rank, 0);
  Shape shape = x.shape;
  for (int axis = 0; axis < rank; ++axis) {
    const auto i = static_cast<size_t>(axis);
    if (interior[i] < 0) {
      call.fail(fmt::format("interior {} of axis {} is negative", interior[i], axis));
    }
    const int64_t extent = padded_extent(call, x.shape[axis], low[i], high[i], interior[i]);
    if (extent < 0) {
      call.fail(
          fmt::format("low {}, high {} crop more than axis {} of {}", low[i], high[i], axis, x));
    }
    shape.set(axis, extent);
  }
  return {x.dtype, std::move(shape)};
}

Type infer_gather(const Inference& call) {
  const Type& x = call.operand(0);
  Type result{x.dtype,
              call.attributes.flag("along") ? shape_gathered_along(call) : gathered_shape(call)};
  if (x.shape[call.axis_of(x)] == 0 && call.operand(1).numel() != 0) {
    call.fail(fmt::format("axis {} of {} has no elements", call.axis_of(x), x));
  }
  return result;
}

Type infer_scatter(const Inference& call) {
  const Type& x = call.operand(0);
  const Type& updates = call.operand(2);
  call.require_same_dtype(x, updates);
  const Shape expected =
      call.attributes.flag("along") ? shape_gathered_along(call) : gathered_shape(call);
  if (updates.shape != expected) {
    call.fail(fmt::format("updates {} should have shape {}", updates, expected));
  }
  call.require_choice("mode", {"add", "mul", "max", "min", "set"});
  return x;
}

Type infer_scan(const Inference& call) {
  const Type& x = call.operand(0);
  (void)call.axis_of(x);
  if (!call.attributes.has("kind")) call.fail("attribute kind is missing");
  call.require_choice("kind", {"sum", "prod", "max", "min", "logaddexp"});
  if (call.attributes.text("kind") == "logaddexp") call.require_float(x);
  return x;
}

Type infer_argsort(const Inference& call) {
  const Type& x = call.operand(0);
  const int axis = call.axis_of(x);
  const int64_t extent = x.shape[axis];
  const int64_t start = call.attributes.integer("start", 0);
  if (start < 0 || start > extent) {
    call.fail(fmt::format("start {} is not within axis {} of {}", start, axis, x));
  }
  const int64_t count = call.attributes.integer("count", extent - start);
  if (count < 0 || count > extent - start) {
    call.fail(fmt::format("count {} from {} on leaves axis {} of {}", count, start, axis, x));
  }
  Shape shape = x.shape;
  shape.set(axis, count);
  return {DType::i64, std::move(shape)};
}

Type infer_barrier(const Inference& call) {
  return call.operand(0);
}

}  // namespace wick::ir
