#include "wick/ir/channel_blocks.h"
#include "wick/ir/format.h"
#include "wick/ir/infer_rules.h"
#include "wick/ir/window.h"

namespace wick::ir {
namespace {

constexpr int64_t kLargestWindowNumber = int64_t{1} << 30U;  // keeps the arithmetic below exact

/// [n,c,h,w], or [n,c/b,h,w,b] in blocks of channels.
void require_images(const Inference& call, const Type& type, std::string_view what) {
  if (type.shape.ndim() != 4 && type.shape.ndim() != 5) {
    call.fail(fmt::format("{} should have 4 axes, got {}", what, type));
  }
}

void check_range(const Inference& call, std::string_view name, int64_t number, int64_t lowest) {
  if (number < lowest || number > kLargestWindowNumber) {
    call.fail(fmt::format("{} {} is out of range", name, number));
  }
}

Window make_window(const Inference& call, const std::vector<int64_t>& kernel, bool pool) {
  const int rank = static_cast<int>(kernel.size());
  const std::vector<int64_t> stride =
      pool && !call.attributes.has("stride") ? kernel : call.per_axis("stride", rank, 1);
  const std::vector<int64_t> padding = call.per_axis("padding", rank, 0);
  const std::vector<int64_t> dilation =
      pool ? std::vector<int64_t>(kernel.size(), 1) : call.per_axis("dilation", rank, 1);
  Window window(kernel.size());
  for (size_t i = 0; i < window.size(); ++i) {
    check_range(call, "kernel", kernel[i], 1);
    check_range(call, "stride", stride[i], 1);
    check_range(call, "padding", padding[i], 0);
    check_range(call, "dilation", dilation[i], 1);
    window[i] = {kernel[i], stride[i], padding[i], dilation[i]};
  }
  return window;
}

/// Sets the axes of `shape` from 2 on to the number of windows over `x`.
void slide(const Inference& call, const Window& window, const Type& x, Shape& shape) {
  for (int i = 0; i < static_cast<int>(window.size()); ++i) {
    const WindowAxis& axis = window[static_cast<size_t>(i)];
    const int64_t count = axis.count(x.shape[2 + i]);
    if (count <= 0) {
      call.fail(fmt::format("window of {} is larger than axis {} of {} with padding {}",
                            axis.span(),
                            2 + i,
                            x,
                            axis.padding));
    }
    shape.set(2 + i, count);
  }
}

/// The result of conv for x [n,c,...].
Shape conv_shape(const Inference& call, const Type& x, const Type& w) {
  const int rank = x.shape.ndim();
  if (rank < 3 || rank > 5) call.fail(fmt::format("x should have 3 to 5 axes, got {}", x));
  if (w.shape.ndim() != rank) {
    call.fail(fmt::format("w should have {} axes as x has, got {}", rank, w));
  }
  const int64_t groups = call.attributes.integer("groups", 1);
  check_range(call, "groups", groups, 1);
  if (w.shape[0] % groups != 0) {
    call.fail(fmt::format(
        "{} output channels of w {} do not divide into {} groups", w.shape[0], w, groups));
  }
  if (x.shape[1] % groups != 0 || x.shape[1] / groups != w.shape[1]) {
    call.fail(fmt::format("channels differ: x {} has {}, w {} takes {} in {} {}",
                          x,
                          x.shape[1],
                          w,
                          w.shape[1],
                          groups,
                          groups == 1 ? "group" : "groups each"));
  }
  const Window window = make_window(call, {w.shape.begin() + 2, w.shape.end()}, false);
  Shape shape = x.shape;
  shape.set(1, w.shape[0]);
  slide(call, window, x, shape);
  return shape;
}

/// An operand of conv as [n,c,...].
Type unblocked(const Type& type, const Shape& weight) {
  return {type.dtype, plain_images(type.shape, weight)};
}

/// A result [n,c,...] in blocks of as many channels as the attribute says.
Shape in_blocks(const Inference& call, const Shape& shape) {
  const int64_t block = call.attributes.integer("block", 1);
  check_range(call, "block", block, 1);
  if (shape[1] % block != 0) {
    constexpr auto kText = "{} channels of {} do not divide into blocks of {}";
    call.fail(fmt::format(kText, shape[1], to_string(shape), block));
  }
  return block == 1 ? shape : with_channel_blocks(shape, block);
}

void require_cotangent(const Inference& call, const Type& cotangent, const Shape& expected) {
  if (cotangent.shape != expected) {
    call.fail(fmt::format("cotangent {} should have shape {}", cotangent, expected));
  }
}

Shape pool2d_shape(const Inference& call, const Type& x) {
  call.require_float(x);
  require_images(call, x, "x");
  if (!call.attributes.has("kernel")) call.fail("attribute kernel is missing");
  const std::vector<int64_t> kernel = call.per_axis("kernel", 2, 1);
  const Window window = make_window(call, kernel, true);
  for (size_t i = 0; i < window.size(); ++i) {
    if (x.shape[2 + static_cast<int>(i)] == 0) call.fail(fmt::format("{} has no elements", x));
    if (window[i].padding >= window[i].kernel) {
      call.fail(fmt::format(
          "padding {} should be less than kernel {}", window[i].padding, window[i].kernel));
    }
  }
  Shape shape = x.shape;
  slide(call, window, x, shape);
  return shape;
}

/// Numbers of elements of windows, one for each window.
Type window_elements(const Inference& call, const Shape& pooled) {
  const std::vector<int64_t> kernel = call.per_axis("kernel", 2, 1);
  return {kernel[0] * kernel[1] <= 256 ? DType::u8 : DType::i32, pooled};
}

struct MatrixExtents {
  int64_t rows;
  int64_t columns;
};

MatrixExtents matrix_extents(const Shape& shape, bool transposed) {
  const int64_t a = shape[shape.ndim() - 2];
  const int64_t b = shape[shape.ndim() - 1];
  return transposed ? MatrixExtents{b, a} : MatrixExtents{a, b};
}

Shape batch_of(const Shape& shape) {
  return Shape(shape.extents().first(static_cast<size_t>(shape.ndim()) - 2));
}

/// The first two operands, of one float dtype.
void require_floats(const Inference& call) {
  call.require_float(call.operand(0));
  call.require_same_dtype(call.operand(0), call.operand(1));
}

/// The operand of the forward op that a gradient does not read, from the attribute with its shape.
Type unread_operand(const Inference& call, std::string_view shape) {
  return {call.operand(0).dtype, call.required_shape(shape)};
}

}  // namespace

/// What a matmul computes on its product.
void check_epilogue(const Inference& call, DType dtype, int64_t columns) {
  if (call.operands.size() > 2) {
    const Type& bias = call.operand(2);
    if (bias != Type{dtype, {columns}})
      call.fail(fmt::format("the bias should be {}, got {}", Type{dtype, {columns}}, bias));
  }
  if (!call.attributes.has("activation")) return;
  call.require_choice("activation", {"relu", "gelu_tanh"});
  if (!is_float(dtype)) call.fail(fmt::format("an activation needs floats, got {}", dtype));
}

Type infer_matmul(const Inference& call) {
  const Type& lhs = call.operand(0);
  const Type& rhs = call.operand(1);
  if (lhs.shape.ndim() < 2 || rhs.shape.ndim() < 2) {
    call.fail(fmt::format("operands should have 2 axes or more: {} and {}", lhs, rhs));
  }
  call.require_same_dtype(lhs, rhs);
  if (lhs.dtype == DType::bool_) {
    call.fail(fmt::format("needs numeric operands, got {} and {}", lhs, rhs));
  }
  const MatrixExtents a = matrix_extents(lhs.shape, call.attributes.flag("transpose_lhs"));
  const MatrixExtents b = matrix_extents(rhs.shape, call.attributes.flag("transpose_rhs"));
  if (a.columns != b.rows) {
    constexpr auto kText = "inner extents differ: lhs {} has k = {}, rhs {} has k = {}";
    call.fail(fmt::format(kText, lhs, a.columns, rhs, b.rows));
  }
  const std::optional<Shape> batch = broadcast_shapes(batch_of(lhs.shape), batch_of(rhs.shape));
  if (!batch) call.fail(fmt::format("leading axes do not broadcast: {} and {}", lhs, rhs));
  check_epilogue(call, lhs.dtype, b.columns);
  if (batch->ndim() == 0) return {lhs.dtype, {a.rows, b.columns}};
  std::vector<int64_t> extents(batch->begin(), batch->end());
  extents.push_back(a.rows);
  extents.push_back(b.columns);
  return {lhs.dtype, Shape(std::span<const int64_t>(extents))};
}

Type infer_conv(const Inference& call) {
  require_floats(call);
  const Type& w = call.operand(1);
  const Type x = unblocked(call.operand(0), w.shape);
  return {x.dtype, in_blocks(call, conv_shape(call, x, w))};
}

Type infer_conv_input_grad(const Inference& call) {
  require_floats(call);
  const Type& w = call.operand(1);
  const Type x = unread_operand(call, "input_shape");
  require_cotangent(call, unblocked(call.operand(0), w.shape), conv_shape(call, x, w));
  return {x.dtype, in_blocks(call, x.shape)};
}

Type infer_conv_weight_grad(const Inference& call) {
  require_floats(call);
  Type w = unread_operand(call, "weight_shape");
  const Type x = unblocked(call.operand(0), w.shape);
  require_cotangent(call, unblocked(call.operand(1), w.shape), conv_shape(call, x, w));
  return w;
}

Type infer_max_pool2d(const Inference& call) {
  const Type& x = call.operand(0);
  const Shape pooled = pool2d_shape(call, x);
  return call.attributes.flag("argmax") ? window_elements(call, pooled) : Type{x.dtype, pooled};
}

Type infer_avg_pool2d(const Inference& call) {
  const Type& x = call.operand(0);
  return {x.dtype, pool2d_shape(call, x)};
}

Type infer_max_pool2d_grad(const Inference& call) {
  const Type& cotangent = call.operand(1);
  Type x{cotangent.dtype, call.required_shape("input_shape")};
  const Shape pooled = pool2d_shape(call, x);
  require_cotangent(call, cotangent, pooled);
  const Type expected = window_elements(call, pooled);
  if (call.operand(0) != expected) {
    constexpr auto kText = "the numbers of elements should be {}, got {}";
    call.fail(fmt::format(kText, expected, call.operand(0)));
  }
  return x;
}

Type infer_avg_pool2d_grad(const Inference& call) {
  Type x = unread_operand(call, "input_shape");
  require_cotangent(call, call.operand(0), pool2d_shape(call, x));
  return x;
}

}  // namespace wick::ir
