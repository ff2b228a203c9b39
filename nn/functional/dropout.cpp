#include "wick/nn/functional/dropout.h"

#include <cmath>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "wick/ir/error.h"
#include "wick/nn/functional/operands.h"
#include "wick/tensor/random.h"

namespace wick::nn {

namespace {

void require_rate(std::string_view op, double rate, Where where) {
  if (rate >= 0 && rate <= 1) return;
  throw Error(where, op, fmt::format("the rate must be in [0, 1], it is {}", rate));
}

Tensor drop_channels(std::string_view op,
                     const Tensor& x,
                     int num_spatial,
                     double rate,
                     Generator& generator,
                     Where where) {
  detail::require_float(op, "x", x, where);
  require_rate(op, rate, where);
  if (x.ndim() != num_spatial + 2) {
    constexpr auto kText = "x must have {} axes, x is {}";
    throw Error(where, op, fmt::format(kText, num_spatial + 2, to_string(x.type())));
  }
  std::vector<int64_t> extents(static_cast<size_t>(x.ndim()), 1);
  extents[0] = x.shape()[0];
  extents[1] = x.shape()[1];
  const Tensor factors = ones(Shape(std::span<const int64_t>(extents)), x.dtype(), where);
  return Operand(x, where) * dropout(factors, rate, generator, where);
}

}  // namespace

Tensor dropout1d(const Tensor& x, double rate, Generator& generator, Where where) {
  return drop_channels("dropout1d", x, 1, rate, generator, where);
}

Tensor dropout2d(const Tensor& x, double rate, Generator& generator, Where where) {
  return drop_channels("dropout2d", x, 2, rate, generator, where);
}

Tensor dropout3d(const Tensor& x, double rate, Generator& generator, Where where) {
  return drop_channels("dropout3d", x, 3, rate, generator, where);
}

Tensor alpha_dropout(const Tensor& x, double rate, Generator& generator, Where where) {
  detail::require_float("alpha_dropout", "x", x, where);
  require_rate("alpha_dropout", rate, where);
  constexpr double kLeast = -1.7580993408473766;  // -scale * alpha of SELU
  const double variance = (kLeast * kLeast * rate + 1) * (1 - rate);
  const double scale = rate < 1 ? 1 / std::sqrt(variance) : 0;  // nothing is kept: 0, not NaN
  const double shift = -scale * kLeast * rate;
  const Tensor kept = Operand(x, where) * scale + Operand(shift, where);
  const Tensor mask = bernoulli(1 - rate, x.shape(), DType::bool_, generator, where);
  return wick::where(mask, kept, Operand(scale * kLeast + shift, where));
}

}  // namespace wick::nn
