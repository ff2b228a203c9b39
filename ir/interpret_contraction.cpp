#include <array>
#include <cmath>
#include <numbers>
#include <type_traits>

#include "wick/ir/channel_blocks.h"
#include "wick/ir/interpret_rules.h"
#include "wick/ir/strided_walk.h"
#include "wick/ir/window.h"

namespace wick::ir {
namespace {

template <typename Wide>
void multiply_add(Wide& sum, Wide a, Wide b) {
  if constexpr (std::is_same_v<Wide, double>) {
    sum += a * b;
  } else {
    sum = static_cast<int64_t>(static_cast<uint64_t>(sum) +
                               static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
  }
}

/// A matrix inside a batch.
struct MatrixView {
  int64_t row_stride;
  int64_t column_stride;
  int64_t batch_elements;
};

MatrixView matrix_view(const Shape& shape, bool transposed) {
  const int64_t rows = shape[shape.ndim() - 2];
  const int64_t columns = shape[shape.ndim() - 1];
  if (transposed) return {1, columns, rows * columns};
  return {columns, 1, rows * columns};
}

Shape batch_of(const Shape& shape) {
  return Shape(shape.extents().first(static_cast<size_t>(shape.ndim()) - 2));
}

double relu(double x) {
  return x <= 0 ? 0 : x;
}

/// The approximation by tanh of Hendrycks and Gimpel, "Gaussian Error Linear Units", 2016.
double gelu_tanh(double x) {
  const double scale = std::sqrt(2 * std::numbers::inv_pi);
  return 0.5 * x * (1 + std::tanh(scale * (x + 0.044715 * x * x * x)));
}

/// Bias and activation of a matmul, on its sums.
template <typename Wide>
void apply_epilogue(const OpCall& call, std::vector<Wide>& sums) {
  if (call.operands.size() > 2) {
    const std::vector<Wide> bias = widen<Wide>(call.operand(2));
    for (size_t i = 0; i < sums.size(); ++i)
      multiply_add(sums[i], bias[i % bias.size()], Wide{1});
  }
  if (!call.attributes.has("activation")) return;
  const auto activation = call.attributes.text("activation") == "relu" ? relu : gelu_tanh;
  for (Wide& sum : sums)
    sum = static_cast<Wide>(activation(static_cast<double>(sum)));
}

template <typename Wide>
Literal matmul(const OpCall& call) {
  const Shape& lhs = call.operand(0).type().shape;
  const Shape& rhs = call.operand(1).type().shape;
  const bool transposed = call.attributes.flag("transpose_lhs");
  const MatrixView a_view = matrix_view(lhs, transposed);
  const MatrixView b_view = matrix_view(rhs, call.attributes.flag("transpose_rhs"));
  const std::vector<Wide> a = widen<Wide>(call.operand(0));
  const std::vector<Wide> b = widen<Wide>(call.operand(1));
  const Shape& shape = call.result.shape;
  const int64_t rows = shape[shape.ndim() - 2];
  const int64_t columns = shape[shape.ndim() - 1];
  const int64_t depth = lhs[lhs.ndim() - (transposed ? 2 : 1)];
  const Shape batch = batch_of(shape);
  std::vector<Wide> out(static_cast<size_t>(call.result.numel()), 0);
  const std::array<Strides, 2> strides = {broadcast_strides(batch_of(lhs), batch),
                                          broadcast_strides(batch_of(rhs), batch)};
  walk<2>(batch, strides, {0, 0}, [&](int64_t number, const auto& at) {
    for (int64_t i = 0; i < rows; ++i) {
      for (int64_t j = 0; j < columns; ++j) {
        Wide& sum = out[static_cast<size_t>((number * rows + i) * columns + j)];
        const int64_t a_row = at[0] * a_view.batch_elements + i * a_view.row_stride;
        const int64_t b_column = at[1] * b_view.batch_elements + j * b_view.column_stride;
        for (int64_t k = 0; k < depth; ++k) {
          multiply_add(sum,
                       a[static_cast<size_t>(a_row + k * a_view.column_stride)],
                       b[static_cast<size_t>(b_column + k * b_view.row_stride)]);
        }
      }
    }
  });
  apply_epilogue(call, out);
  return narrow(out, call.result);
}

Window conv_window(const OpCall& call, const Shape& w) {
  const auto number = [&](std::string_view name, size_t i, int64_t fallback) {
    return call.attributes.has(name) ? call.attributes.integers(name)[i] : fallback;
  };
  Window window(static_cast<size_t>(w.ndim()) - 2);
  for (size_t i = 0; i < window.size(); ++i) {
    window[i] = {w[2 + static_cast<int>(i)],
                 number("stride", i, 1),
                 number("padding", i, 0),
                 number("dilation", i, 1)};
  }
  return window;
}

struct ConvShapes {
  const Shape& x;
  const Shape& w;
  const Shape& y;
};

/// Calls visit(x, w, y) with the element numbers of each product that conv sums.
template <typename Visit>
void for_each_tap(const OpCall& call, const ConvShapes& shapes, const Visit& visit) {
  const Window window = conv_window(call, shapes.w);
  const int64_t groups = call.attributes.integer("groups", 1);
  const int64_t outputs = shapes.w[0] / groups;
  const size_t rank = window.size();
  const Strides x_strides = row_major_strides(shapes.x);
  const Strides w_strides = row_major_strides(shapes.w);
  const Strides y_strides = row_major_strides(shapes.y);
  const int64_t taps = shapes.w[0] == 0 ? 0 : shapes.w.numel() / shapes.w[0];
  for (int64_t y = 0; y < shapes.y.numel(); ++y) {
    const int64_t n = y / y_strides[0];
    const int64_t o = y / y_strides[1] % shapes.y[1];
    for (int64_t k = 0; k < taps; ++k) {
      const int64_t c = k / w_strides[1] + o / outputs * shapes.w[1];
      int64_t x = n * x_strides[0] + c * x_strides[1];
      bool inside = true;
      for (size_t d = 0; d < rank; ++d) {
        const int axis = static_cast<int>(d) + 2;
        const int64_t at = window[d].position(y / y_strides[d + 2] % shapes.y[axis],
                                              k / w_strides[d + 2] % shapes.w[axis]);
        inside = inside && at >= 0 && at < shapes.x[axis];
        x += at * x_strides[d + 2];
      }
      if (!inside) continue;
      visit(static_cast<size_t>(x), static_cast<size_t>(o * taps + k), static_cast<size_t>(y));
    }
  }
}

/// Images as [n,c,...], stored in blocks of channels or as they are.
struct Images {
  Shape shape;
  int64_t block;

  Images(const Shape& stored, const Shape& weight)
      : shape(plain_images(stored, weight)),
        block(channel_block(stored, weight)) {}

  /// Calls visit(element of [n,c,...], element as stored).
  template <typename Visit>
  void for_each(const Visit& visit) const {
    const int64_t channels = shape[1];
    const int64_t plane = row_major_strides(shape)[1];
    for (int64_t i = 0; i < shape.numel(); ++i) {
      const int64_t channel = i / plane % channels;
      const int64_t row = (i / (plane * channels) * (channels / block) + channel / block) * plane;
      visit(static_cast<size_t>(i),
            static_cast<size_t>((row + i % plane) * block + channel % block));
    }
  }

  [[nodiscard]] std::vector<double> read(const Literal& literal) const {
    const auto stored = widen<double>(literal);
    std::vector<double> values(stored.size());
    for_each([&](size_t i, size_t j) { values[i] = stored[j]; });
    return values;
  }

  [[nodiscard]] Literal write(const std::vector<double>& values, const Type& type) const {
    std::vector<double> stored(values.size());
    for_each([&](size_t i, size_t j) { stored[j] = values[i]; });
    return narrow(stored, type);
  }
};

}  // namespace

Literal interpret_matmul(const OpCall& call) {
  return visit_wide(call.result.dtype, [&]<typename Wide>() { return matmul<Wide>(call); });
}

Literal interpret_conv(const OpCall& call) {
  const Shape& weight = call.operand(1).type().shape;
  const Images in(call.operand(0).type().shape, weight);
  const Images out(call.result.shape, weight);
  const auto x = in.read(call.operand(0));
  const auto w = widen<double>(call.operand(1));
  std::vector<double> y(static_cast<size_t>(call.result.numel()), 0);
  for_each_tap(call, {in.shape, weight, out.shape}, [&](size_t i, size_t j, size_t k) {
    y[k] += x[i] * w[j];
  });
  return out.write(y, call.result);
}

Literal interpret_conv_input_grad(const OpCall& call) {
  const Shape& weight = call.operand(1).type().shape;
  const Images in(call.result.shape, weight);
  const Images out(call.operand(0).type().shape, weight);
  const auto cotangent = out.read(call.operand(0));
  const auto w = widen<double>(call.operand(1));
  std::vector<double> x(static_cast<size_t>(call.result.numel()), 0);
  for_each_tap(call, {in.shape, weight, out.shape}, [&](size_t i, size_t j, size_t k) {
    x[i] += cotangent[k] * w[j];
  });
  return in.write(x, call.result);
}

Literal interpret_conv_weight_grad(const OpCall& call) {
  const Shape& weight = call.result.shape;
  const Images in(call.operand(0).type().shape, weight);
  const Images out(call.operand(1).type().shape, weight);
  const auto x = in.read(call.operand(0));
  const auto cotangent = out.read(call.operand(1));
  std::vector<double> w(static_cast<size_t>(call.result.numel()), 0);
  for_each_tap(call, {in.shape, weight, out.shape}, [&](size_t i, size_t j, size_t k) {
    w[j] += x[i] * cotangent[k];
  });
  return narrow(w, call.result);
}

}  // namespace wick::ir
