#include <cmath>
#include <functional>
#include <vector>

#include "sweep/draw.h"
#include "sweep/programs.h"
#include <torch/torch.h>

namespace sweep {

namespace {

using torch::Tensor;

using Tensors = std::vector<Tensor>;
using Sizes = std::vector<int64_t>;

/// As the programs name them.
struct DType {
  static constexpr auto f32 = torch::kFloat;
  static constexpr auto f64 = torch::kDouble;
  static constexpr auto i32 = torch::kInt;
  static constexpr auto i64 = torch::kLong;
  static constexpr auto bf16 = torch::kBFloat16;
  static constexpr auto f16 = torch::kHalf;
  static constexpr auto i8 = torch::kChar;
};

Tensor uniform(const Sizes& sizes, torch::ScalarType dtype = torch::kFloat) {
  return (torch::rand(sizes) * 2 - 1).to(dtype);
}

Tensor integers(const Sizes& sizes, int64_t end, torch::ScalarType dtype = torch::kLong) {
  return torch::floor(torch::rand(sizes) * end).to(dtype);
}

// What networks.h, numeric.h and drawn.h call by one name in both libraries.

Tensor conv(const Tensor& x, const Tensor& w, int64_t stride, int64_t padding, int64_t groups = 1) {
  return torch::conv2d(x, w, {}, stride, padding, 1, groups);
}

Tensor conv_of_signal(const Tensor& x, const Tensor& w, int64_t dilation) {
  using One = torch::IntArrayRef;
  return torch::conv1d(x, w, Tensor(), One{1}, One{0}, One{dilation});
}

Tensor conv_transposed(const Tensor& x, const Tensor& w, int64_t stride, int64_t padding) {
  return torch::conv_transpose2d(x, w, {}, stride, padding);
}

Tensor max_pool_2x2(const Tensor& x) {
  return torch::max_pool2d(x, 2);
}

Tensor batch_norm_of(const Tensor& x, const Tensor& weight, const Tensor& bias) {
  return torch::batch_norm(x, weight, bias, {}, {}, true, 0.1, 1e-5, true);
}

Tensor layer_norm_of_rows(const Tensor& x, const Tensor& weight, const Tensor& bias) {
  return torch::layer_norm(x, {x.size(-1)}, weight, bias);
}

Tensor causal_attention(const Tensor& q, const Tensor& k, const Tensor& v) {
  const double scale = 1 / std::sqrt(static_cast<double>(q.size(-1)));
  const Tensor scores = torch::matmul(q, k.transpose(-1, -2)) * scale;
  const Tensor hidden = torch::ones({q.size(-2), k.size(-2)}, torch::kBool).triu(1);
  return torch::matmul(torch::softmax(scores.masked_fill(hidden, -INFINITY), -1), v);
}

Tensor embedding_of(const Tensor& table, const Tensor& indices) {
  return torch::embedding(table, indices);
}

Tensor max_pool_3x3(const Tensor& x) {
  return torch::max_pool2d(x, 3, 1, 1);
}

Tensor avg_pool_2x2(const Tensor& x) {
  return torch::avg_pool2d(x, 2);
}

Tensor nearest_twice(const Tensor& x) {
  return torch::upsample_nearest2d(x, {2 * x.size(2), 2 * x.size(3)});
}

Tensor bilinear_twice(const Tensor& x) {
  return torch::upsample_bilinear2d(x, {2 * x.size(2), 2 * x.size(3)}, false);
}

Tensor leaky(const Tensor& x) {
  return torch::leaky_relu(x, 0.2);
}

Tensor conv_dilated(const Tensor& x, const Tensor& w, int64_t dilation) {
  return torch::conv2d(x, w, {}, 1, dilation, dilation);
}

Tensor conv_of_volume(const Tensor& x, const Tensor& w) {
  return torch::conv3d(x, w, {}, 1, 1);
}

Tensor max_pool_of_volume(const Tensor& x) {
  return torch::max_pool3d(x, 2);
}

Tensor as_input(const Tensor& x) {
  return x.detach();
}

Tensor padded(const Tensor& x) {
  return torch::constant_pad_nd(x, {1, 1, 1, 1});
}

Tensor as_float(const Tensor& x) {
  return x.to(torch::kFloat);
}

Tensor as_index(const Tensor& x) {
  return x.to(torch::kLong);
}

Tensor uniform_of(const Extents& extents) {
  return uniform(extents);
}

Tensor integers_of(const Extents& extents, int64_t end) {
  return integers(extents, end);
}

Tensor max_over(const Tensor& x, const Sizes& axes) {
  return x.amax(axes);
}

Tensor stored(const Tensor& x) {
  return x.contiguous();
}

Tensor sorted(const Tensor& x, int64_t axis) {
  return std::get<0>(x.sort(axis));
}

#include "sweep/programs/many_ops.h"
#include "sweep/programs/networks.h"
#include "sweep/programs/numeric.h"
#include "sweep/programs/whole_networks.h"

using Function = std::function<Tensor(const Tensors&)>;

Step forward(const Tensors& v, const std::function<Tensors(const Tensors&)>& f) {
  return [=] {
    const torch::NoGradGuard no_grad;
    f(v);
  };
}

Step with_gradients(Tensors v, const Function& f) {
  Tensors inputs;
  for (Tensor& x : v) {
    if (!x.is_floating_point()) continue;
    x.requires_grad_();
    inputs.push_back(x);
  }
  Tensor cotangent;
  {
    const torch::NoGradGuard no_grad;
    cotangent = torch::ones_like(f(v)) * 0.5;
  }
  return [=] { torch::autograd::grad({f(v)}, inputs, {cotangent}); };
}

#include "sweep/programs/drawn.h"

}  // namespace

Programs drawn_torch_programs(uint64_t seed, size_t count) {
  return draw_programs(seed, count);
}

Programs torch_programs() {
  Programs programs;
#define EITHER(of_wick, of_torch) of_torch
#include "sweep/programs/all.inc"
  return programs;
}

}  // namespace sweep
