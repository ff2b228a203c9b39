#pragma once

// How parameters start. In a weight of shape [out, in, ...] the extents after the second are the
// receptive field r: fan_in = in * r, fan_out = out * r.

#include <cstdint>

#include "wick/tensor/ops.h"
#include "wick/tensor/tensor.h"

namespace wick::nn::init {

struct Fans {
  int64_t in = 1;
  int64_t out = 1;
};

/// Error for fewer than two axes.
Fans fans(const Shape& shape, Where where = Where::current());

/// Uniform in [low, high).
Tensor uniform(
    Shape shape, double low, double high, DType dtype = DType::f32, Where where = Where::current());
Tensor normal(Shape shape,
              double mean,
              double stddev,
              DType dtype = DType::f32,
              Where where = Where::current());

/// U(-b, b), b = sqrt(6 / ((1 + slope^2) fan_in)), for layers before a (leaky) ReLU of that
/// negative slope (He et al., 2015).
Tensor kaiming_uniform(Shape shape, double slope = 0, Where where = Where::current());
/// N(0, s^2), s = sqrt(2 / ((1 + slope^2) fan_in)).
Tensor kaiming_normal(Shape shape, double slope = 0, Where where = Where::current());
/// U(-b, b), b = gain sqrt(6 / (fan_in + fan_out)) (Glorot and Bengio, 2010).
Tensor xavier_uniform(Shape shape, double gain = 1, Where where = Where::current());
/// N(0, s^2), s = gain sqrt(2 / (fan_in + fan_out)).
Tensor xavier_normal(Shape shape, double gain = 1, Where where = Where::current());

/// U(-1/sqrt(fan_in), 1/sqrt(fan_in)): what Linear and Conv2d start their weights with (as
/// kaiming_uniform of slope sqrt(5)) and, with the weight's fan_in, their biases.
Tensor fan_in_uniform(Shape shape, int64_t fan_in, Where where = Where::current());

}  // namespace wick::nn::init
