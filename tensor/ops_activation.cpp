#include "wick/tensor/ops_activation.h"

#include <cmath>
#include <numbers>
#include <vector>

#include <fmt/format.h>

#include "wick/tensor/recording.h"
#include "wick/tensor/term.h"

namespace wick {

using detail::float_term_of;
using detail::HistoryPause;
using detail::Term;

namespace {

/// The formula of a float, half types in f32.
template <typename Formula>
Tensor activation(std::string_view op, const Tensor& x, Where where, Formula formula) {
  return at_least_f32(float_term_of(op, x, where), formula).tensor;
}

Term hard_sigmoid(const Term& x) {
  const Term line = (x + 3) * (1.0 / 6);
  // Of NaN, too, the gradient is 0.
  const Term outside = [&] {
    const HistoryPause pause;
    return minimum(maximum(line, 0), 1);
  }();
  return select((x > -3) & (x < 3), line, outside);
}

/// The weight with its extent along axis 1 of x.
Tensor channel_weight(const Tensor& x, const Tensor& weight, Where where) {
  const int64_t channels = x.ndim() > 1 ? x.shape()[1] : 1;
  const int64_t count = weight.numel();
  if (weight.ndim() > 1 || (count != 1 && count != channels)) {
    constexpr auto kText = "the weight {} fits neither the {} channels of {} nor all of them";
    throw Error(where,
                "prelu",
                fmt::format(kText, to_string(weight.type()), channels, to_string(x.type())));
  }
  if (count == 1 && x.ndim() == 0) return reshape(weight, Shape{}, where);
  if (count == 1) return reshape(weight, Shape{1}, where);
  std::vector<int64_t> extents(static_cast<size_t>(x.ndim() - 1), 1);
  extents[0] = count;
  return reshape(weight, Shape(std::span<const int64_t>(extents)), where);
}

}  // namespace

Tensor leaky_relu(const Tensor& x, double slope, Where where) {
  return activation("leaky_relu", x, where, [slope](const Term& y) {
    return select(y > 0, y, y * y.operand(slope));
  });
}

Tensor prelu(const Tensor& x, const Tensor& weight, Where where) {
  const Term source = float_term_of("prelu", x, where);
  const Term slope = float_term_of("prelu", weight, where);
  const Term aligned{channel_weight(source.tensor, slope.tensor, where), where};
  return activation("prelu", source.tensor, where, [&](const Term& y) {
    const Term positive = y > 0;
    // The weight's gradient is a product with what it multiplies: with nothing infinite above 0.
    const Term negative = select(positive, 0, y);
    return select(positive, y, cast(aligned, y.dtype()) * negative);
  });
}

Tensor hardtanh(const Tensor& x, double low, double high, Where where) {
  return activation("hardtanh", x, where, [&](const Term& y) {
    const Term lower = y.operand(low);
    const Term upper = y.operand(high);
    return select(y <= lower, lower, select(y >= upper, upper, y));
  });
}

Tensor relu6(const Tensor& x, Where where) {
  return activation(
      "relu6", x, where, [](const Term& y) { return select(y <= 0, 0, select(y >= 6, 6, y)); });
}

Tensor hardsigmoid(const Tensor& x, Where where) {
  return activation("hardsigmoid", x, where, hard_sigmoid);
}

Tensor hardswish(const Tensor& x, Where where) {
  return activation("hardswish", x, where, [](const Term& y) {
    const Term curve = y * ((y + 3) * (1.0 / 6));
    return select(y < -3, 0, select(y > 3, y, curve));
  });
}

Tensor hardshrink(const Tensor& x, double lambda, Where where) {
  return activation("hardshrink", x, where, [lambda](const Term& y) {
    return select(abs(y) > y.operand(lambda), y, y * 0);  // NaN stays
  });
}

Tensor softshrink(const Tensor& x, double lambda, Where where) {
  return activation("softshrink", x, where, [lambda](const Term& y) {
    const Term width = y.operand(lambda);
    const Term below = select(y < -width, y + width, y * 0);
    return select(y > width, y - width, below);
  });
}

Tensor tanhshrink(const Tensor& x, Where where) {
  return activation("tanhshrink", x, where, [](const Term& y) { return y - tanh(y); });
}

Tensor softsign(const Tensor& x, Where where) {
  return activation("softsign", x, where, [](const Term& y) { return y / (abs(y) + 1); });
}

Tensor threshold(const Tensor& x, double limit, double value, Where where) {
  return activation("threshold", x, where, [&](const Term& y) {
    return select(y <= y.operand(limit), y.operand(value), y);
  });
}

Tensor gelu_tanh(const Tensor& x, Where where) {
  const double scale = std::sqrt(2 * std::numbers::inv_pi);
  return activation("gelu_tanh", x, where, [scale](const Term& y) {
    const Term angle = (y + y * y * y * 0.044715) * scale;
    return y * 0.5 * (tanh(angle) + 1);
  });
}

Tensor glu(const Tensor& x, int axis, Where where) {
  const Term term = float_term_of("glu", x, where);
  const int rank = x.ndim();
  if (axis < -rank || axis >= rank) {
    constexpr auto kText = "axis {} is out of range for {}";
    throw Error(where, "glu", fmt::format(kText, axis, to_string(x.type())));
  }
  const int64_t extent = x.size(axis, where);
  if (extent % 2 != 0) {
    constexpr auto kText = "the extent {} of axis {} of {} is odd";
    throw Error(where, "glu", fmt::format(kText, extent, axis, to_string(x.type())));
  }
  const Term value{slice(term.tensor, axis, 0, extent / 2, 1, where), where};
  const Term gate{slice(term.tensor, axis, extent / 2, extent, 1, where), where};
  return at_least_f32(value, [&](const Term& y) { return y * sigmoid(cast(gate, y.dtype())); })
      .tensor;
}

Tensor softmin(const Tensor& x, int axis, Where where) {
  return softmax((-float_term_of("softmin", x, where)).tensor, axis, where);
}

}  // namespace wick
