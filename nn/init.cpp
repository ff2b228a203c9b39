#include "wick/nn/init.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "wick/ir/error.h"

namespace wick::nn::init {

Fans fans(const Shape& shape, Where where) {
  if (shape.ndim() < 2) {
    throw Error(where, "init", fmt::format("{} has fewer than two axes", to_string(shape)));
  }
  int64_t field = 1;
  for (int axis = 2; axis < shape.ndim(); ++axis) {
    field *= shape[axis];
  }
  return {.in = shape[1] * field, .out = shape[0] * field};
}

Tensor uniform(Shape shape, double low, double high, DType dtype, Where where) {
  const Tensor unit = rand(std::move(shape), dtype, default_generator(), where);
  return unit * (high - low) + low;
}

Tensor normal(Shape shape, double mean, double stddev, DType dtype, Where where) {
  const Tensor unit = randn(std::move(shape), dtype, default_generator(), where);
  return unit * stddev + mean;
}

Tensor kaiming_uniform(Shape shape, double slope, Where where) {
  const auto fan_in = static_cast<double>(fans(shape, where).in);
  const double bound = std::sqrt(6.0 / ((1.0 + slope * slope) * fan_in));
  return uniform(std::move(shape), -bound, bound, DType::f32, where);
}

Tensor kaiming_normal(Shape shape, double slope, Where where) {
  const auto fan_in = static_cast<double>(fans(shape, where).in);
  const double stddev = std::sqrt(2.0 / ((1.0 + slope * slope) * fan_in));
  return normal(std::move(shape), 0.0, stddev, DType::f32, where);
}

Tensor xavier_uniform(Shape shape, double gain, Where where) {
  const Fans f = fans(shape, where);
  const double bound = gain * std::sqrt(6.0 / static_cast<double>(f.in + f.out));
  return uniform(std::move(shape), -bound, bound, DType::f32, where);
}

Tensor xavier_normal(Shape shape, double gain, Where where) {
  const Fans f = fans(shape, where);
  const double stddev = gain * std::sqrt(2.0 / static_cast<double>(f.in + f.out));
  return normal(std::move(shape), 0.0, stddev, DType::f32, where);
}

Tensor fan_in_uniform(Shape shape, int64_t fan_in, Where where) {
  const double bound = 1.0 / std::sqrt(static_cast<double>(std::max<int64_t>(fan_in, 1)));
  return uniform(std::move(shape), -bound, bound, DType::f32, where);
}

}  // namespace wick::nn::init
