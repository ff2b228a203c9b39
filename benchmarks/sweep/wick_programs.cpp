#include <cmath>
#include <functional>
#include <span>
#include <vector>

#include "sweep/draw.h"
#include "sweep/programs.h"

#include "wick/wick.h"

namespace sweep {

namespace {

using namespace wick;  // NOLINT: programs read as users write them

using Tensors = std::vector<Tensor>;

Tensor uniform(const Shape& shape, DType dtype = DType::f32) {
  Tensor x = cast(rand(shape) * 2 - 1, dtype);
  materialize(x);
  return x;
}

Tensor integers(const Shape& shape, int64_t end, DType dtype = DType::i64) {
  Tensor x = cast(floor(rand(shape) * static_cast<float>(end)), dtype);
  materialize(x);
  return x;
}

bool has_gradient(const Tensor& x) {
  return x.dtype() == DType::f32 || x.dtype() == DType::f64;
}

// What networks.h, numeric.h and drawn.h call by one name in both libraries.

Tensor conv(const Tensor& x, const Tensor& w, int64_t stride, int64_t padding, int64_t groups = 1) {
  return conv2d(x, w, {.stride = {stride}, .padding = {padding}, .groups = groups});
}

Tensor conv_of_signal(const Tensor& x, const Tensor& w, int64_t dilation) {
  return conv1d(x, w, {.dilation = {dilation}});
}

Tensor conv_transposed(const Tensor& x, const Tensor& w, int64_t stride, int64_t padding) {
  return conv_transpose2d(x, w, {.stride = {stride}, .padding = {padding}});
}

Tensor max_pool_2x2(const Tensor& x) {
  return max_pool2d(x, {.kernel = {2}});
}

Tensor batch_norm_of(const Tensor& x, const Tensor& weight, const Tensor& bias) {
  const Shape channels{x.size(1)};
  return nn::batch_norm_training(
             x, {zeros(channels), ones(channels)}, 0.1, {.weight = weight, .bias = bias})
      .output;
}

Tensor layer_norm_of_rows(const Tensor& x, const Tensor& weight, const Tensor& bias) {
  return nn::layer_norm(x, {x.size(-1)}, {.weight = weight, .bias = bias});
}

Tensor causal_attention(const Tensor& q, const Tensor& k, const Tensor& v) {
  return nn::scaled_dot_product_attention(q, k, v, {.is_causal = true});
}

Tensor embedding_of(const Tensor& table, const Tensor& indices) {
  return nn::embedding(indices, table);
}

Tensor max_pool_3x3(const Tensor& x) {
  return max_pool2d(x, {.kernel = {3}, .stride = {1}, .padding = {1}});
}

Tensor avg_pool_2x2(const Tensor& x) {
  return avg_pool2d(x, {.kernel = {2}});
}

Tensor nearest_twice(const Tensor& x) {
  return interpolate(x, {.scale_factor = {2}});
}

Tensor bilinear_twice(const Tensor& x) {
  return interpolate(x, {.scale_factor = {2}, .mode = Interpolation::linear});
}

Tensor leaky(const Tensor& x) {
  return leaky_relu(x, 0.2);
}

Tensor conv_dilated(const Tensor& x, const Tensor& w, int64_t dilation) {
  return conv2d(x, w, {.padding = {dilation}, .dilation = {dilation}});
}

Tensor conv_of_volume(const Tensor& x, const Tensor& w) {
  return conv3d(x, w, {.padding = {1}});
}

Tensor max_pool_of_volume(const Tensor& x) {
  return max_pool3d(x, {.kernel = {2}});
}

/// A leaf of its own.
Tensor as_input(const Tensor& x) {
  materialize(x);
  return x;
}

Tensor padded(const Tensor& x) {
  return wick::pad(x, {1, 1}, {1, 1});
}

Tensor as_float(const Tensor& x) {
  return cast(x, DType::f32);
}

Tensor as_index(const Tensor& x) {
  return cast(x, DType::i64);
}

Tensor uniform_of(const Extents& extents) {
  return uniform(Shape(extents));
}

Tensor integers_of(const Extents& extents, int64_t end) {
  return integers(Shape(extents), end);
}

Tensor max_over(const Tensor& x, const Axes& axes) {
  return max(x, axes);
}

Tensor stored(const Tensor& x) {
  return x;
}

Tensor sorted(const Tensor& x, int64_t axis) {
  return sort(x, axis).values;
}

#include "sweep/programs/many_ops.h"
#include "sweep/programs/networks.h"
#include "sweep/programs/numeric.h"
#include "sweep/programs/whole_networks.h"

using Function = std::function<Tensor(const Tensors&)>;

Step forward(const Tensors& v, const std::function<Tensors(const Tensors&)>& f) {
  return [=] {
    const NoGradGuard no_grad;
    materialize(f(v));
  };
}

Step with_gradients(Tensors v, const Function& f) {
  Tensors inputs;
  for (Tensor& x : v) {
    if (!has_gradient(x)) continue;
    x.requires_grad_();
    inputs.push_back(x);
  }
  Tensor cotangent;
  {
    const NoGradGuard no_grad;
    cotangent = ones_like(f(v)) * 0.5;
    materialize(cotangent);
  }
  return [=] {
    const Tensor outputs[] = {f(v)};
    Tensors wanted = grad(outputs, inputs, {.cotangents = {cotangent}});
    wanted.push_back(outputs[0]);
    materialize(wanted);
  };
}

#include "sweep/programs/drawn.h"

}  // namespace

Programs drawn_wick_programs(uint64_t seed, size_t count) {
  return draw_programs(seed, count);
}

Programs wick_programs() {
  Programs programs;
#define EITHER(of_wick, of_torch) of_wick
#include "sweep/programs/all.inc"
  return programs;
}

}  // namespace sweep
