#include "wick/nn/functional/norms.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "wick/autograd/autograd.h"
#include "wick/ir/error.h"
#include "wick/nn/functional/operands.h"
#include "wick/tensor/ops_pool.h"

namespace wick::nn {

namespace {

using detail::require_float;
using detail::to_compute_dtype;

Axes axes_from(int first, const Tensor& x) {
  Axes axes;
  for (int axis = first; axis < x.ndim(); ++axis)
    axes.push_back(axis);
  return axes;
}

/// The axes of `normalized`; Error unless x ends in these extents.
Axes last_axes(std::string_view op, const Tensor& x, const Shape& normalized, Where where) {
  require_float(op, "x", x, where);
  const int first = x.ndim() - normalized.ndim();
  if (first >= 0 && normalized.ndim() > 0 &&
      std::equal(normalized.begin(), normalized.end(), x.shape().begin() + first)) {
    return axes_from(first, x);
  }
  constexpr auto kText = "x must end in the extents {}, x is {}";
  throw Error(where, op, fmt::format(kText, to_string(normalized), to_string(x.type())));
}

void require_shape(std::string_view op,
                   std::string_view name,
                   const Tensor& given,
                   const Shape& wanted,
                   Where where) {
  if (!given.defined() || given.shape() == wanted) return;
  constexpr auto kText = "{} must have the shape {}, is {}";
  throw Error(where, op, fmt::format(kText, name, to_string(wanted), to_string(given.type())));
}

/// Error unless x is [n,c] with `num_spatial` further axes or more, and weight and bias are [c].
void require_channels(std::string_view op,
                      const Tensor& x,
                      int num_spatial,
                      const NormOptions& options,
                      Where where) {
  require_float(op, "x", x, where);
  if (x.ndim() < 2 + num_spatial) {
    constexpr auto kText = "x must have {} axes or more, x is {}";
    throw Error(where, op, fmt::format(kText, 2 + num_spatial, to_string(x.type())));
  }
  const Shape per_channel{x.shape()[1]};
  require_shape(op, "weight", options.weight, per_channel, where);
  require_shape(op, "bias", options.bias, per_channel, where);
}

/// f32[c] shaped to broadcast with x [n,c,...].
Tensor along_channels(const Tensor& values, const Tensor& x, Where where) {
  std::vector<int64_t> extents(static_cast<size_t>(x.ndim()), 1);
  extents[1] = x.shape()[1];
  return reshape(values, Shape(std::span<const int64_t>(extents)), where);
}

/// With weight and bias shaped to broadcast along the channels of x.
NormOptions shaped(const NormOptions& options, const Tensor& x, Where where) {
  NormOptions result = options;
  if (options.weight.defined()) result.weight = along_channels(options.weight, x, where);
  if (options.bias.defined()) result.bias = along_channels(options.bias, x, where);
  return result;
}

/// values * weight + bias, as `dtype`.
Tensor affine(const Tensor& values, const NormOptions& options, DType dtype, Where where) {
  Tensor y = values;
  if (options.weight.defined()) {
    y = Operand(y, where) * to_compute_dtype(options.weight, where);
  }
  if (options.bias.defined()) y = Operand(y, where) + to_compute_dtype(options.bias, where);
  return cast(y, dtype, where);
}

/// 1 / sqrt(var + eps).
Tensor inverse_deviation(const Tensor& var, double eps, Where where) {
  return rsqrt(Operand(var, where) + eps, where);
}

struct Moments {
  Tensor centered;  // x - mean
  Tensor mean;
  Tensor var;
};

Moments moments(const Tensor& x, const Axes& axes, Where where) {
  const Tensor mean = wick::mean(x, axes, true, where);
  const Tensor centered = Operand(x, where) - mean;
  return {centered, mean, wick::mean(square(centered, where), axes, true, where)};
}

Tensor standardized(const Tensor& x, const Axes& axes, double eps, Where where) {
  const Moments m = moments(x, axes, where);
  return Operand(m.centered, where) * inverse_deviation(m.var, eps, where);
}

}  // namespace

Tensor layer_norm(const Tensor& x,
                  const Shape& normalized,
                  const NormOptions& options,
                  Where where) {
  const Axes axes = last_axes("layer_norm", x, normalized, where);
  require_shape("layer_norm", "weight", options.weight, normalized, where);
  require_shape("layer_norm", "bias", options.bias, normalized, where);
  const Tensor values = standardized(to_compute_dtype(x, where), axes, options.eps, where);
  return affine(values, options, x.dtype(), where);
}

Tensor rms_norm(const Tensor& x, const Shape& normalized, const NormOptions& options, Where where) {
  const Axes axes = last_axes("rms_norm", x, normalized, where);
  require_shape("rms_norm", "weight", options.weight, normalized, where);
  require_shape("rms_norm", "bias", options.bias, normalized, where);
  const Tensor values = to_compute_dtype(x, where);
  const Tensor mean_square = mean(square(values, where), axes, true, where);
  const Tensor scaled = Operand(values, where) * inverse_deviation(mean_square, options.eps, where);
  return affine(scaled, options, x.dtype(), where);
}

Tensor group_norm(const Tensor& x, int64_t num_groups, const NormOptions& options, Where where) {
  require_channels("group_norm", x, 0, options, where);
  const int64_t channels = x.shape()[1];
  if (num_groups < 1 || channels % num_groups != 0) {
    constexpr auto kText = "{} channels of {} do not divide into {} groups";
    throw Error(where, "group_norm", fmt::format(kText, channels, to_string(x.type()), num_groups));
  }
  if (x.numel() == 0) return x;
  const int64_t samples = x.shape()[0];
  const Tensor groups = reshape(to_compute_dtype(x, where), {samples, num_groups, -1}, where);
  const Tensor values = reshape(standardized(groups, {2}, options.eps, where), x.shape(), where);
  return affine(values, shaped(options, x, where), x.dtype(), where);
}

Tensor instance_norm(const Tensor& x, const NormOptions& options, Where where) {
  require_channels("instance_norm", x, 1, options, where);
  const Tensor values =
      standardized(to_compute_dtype(x, where), axes_from(2, x), options.eps, where);
  return affine(values, shaped(options, x, where), x.dtype(), where);
}

Tensor batch_norm(const Tensor& x,
                  const ChannelStatistics& statistics,
                  const NormOptions& options,
                  Where where) {
  require_channels("batch_norm", x, 0, options, where);
  require_float("batch_norm", "mean", statistics.mean, where);
  require_float("batch_norm", "var", statistics.var, where);
  require_shape("batch_norm", "mean", statistics.mean, Shape{x.shape()[1]}, where);
  require_shape("batch_norm", "var", statistics.var, Shape{x.shape()[1]}, where);
  const Tensor mean = along_channels(to_compute_dtype(statistics.mean, where), x, where);
  const Tensor var = along_channels(to_compute_dtype(statistics.var, where), x, where);
  const Tensor centered = Operand(to_compute_dtype(x, where), where) - mean;
  const Tensor values = Operand(centered, where) * inverse_deviation(var, options.eps, where);
  return affine(values, shaped(options, x, where), x.dtype(), where);
}

BatchNormResult batch_norm_training(const Tensor& x,
                                    const ChannelStatistics& running,
                                    double momentum,
                                    const NormOptions& options,
                                    Where where) {
  require_channels("batch_norm", x, 0, options, where);
  const Shape per_channel{x.shape()[1]};
  require_shape("batch_norm", "running mean", running.mean, per_channel, where);
  require_shape("batch_norm", "running var", running.var, per_channel, where);
  Axes axes = axes_from(1, x);
  axes.front() = 0;
  const Moments batch = moments(to_compute_dtype(x, where), axes, where);
  const Tensor values =
      Operand(batch.centered, where) * inverse_deviation(batch.var, options.eps, where);
  BatchNormResult result;
  result.output = affine(values, shaped(options, x, where), x.dtype(), where);

  const NoGradGuard no_grad;
  const int64_t channels = std::max<int64_t>(per_channel[0], 1);
  const auto count = static_cast<double>(x.numel() / channels);
  const double unbiased = count / std::max(count - 1, 1.0);
  const auto move = [&](const Tensor& old, const Tensor& now, double weight) {
    if (!old.defined()) return Tensor();
    const Tensor kept = Operand(old, where) * (1 - momentum);
    const Tensor added = Operand(reshape(now, per_channel, where), where) * weight;
    return cast(Operand(kept, where) + added, old.dtype(), where);
  };
  result.running.mean = move(running.mean, batch.mean, momentum);
  result.running.var = move(running.var, batch.var, momentum * unbiased);
  return result;
}

Tensor local_response_norm(const Tensor& x, const LocalResponseNormOptions& options, Where where) {
  constexpr const char* kOp = "local_response_norm";
  require_channels(kOp, x, 1, {}, where);
  if (options.size < 1) {
    throw Error(where, kOp, fmt::format("size must be positive, is {}", options.size));
  }
  if (x.numel() == 0) return x;
  const Tensor values = to_compute_dtype(x, where);
  const Shape planes{x.shape()[0], 1, x.shape()[1], x.numel() / (x.shape()[0] * x.shape()[1])};
  const Tensor squares = reshape(square(values, where), planes, where);
  const int64_t before = options.size / 2;
  const Tensor padded =
      pad(squares, {0, 0, before, 0}, {0, 0, options.size - 1 - before, 0}, 0, where);
  const Tensor local = avg_pool2d(padded, {.kernel = {options.size, 1}, .stride = {1}}, where);
  const Tensor base = Operand(local, where) * options.alpha + Operand(options.k, where);
  const Tensor divisor = reshape(pow(base, options.beta, where), x.shape(), where);
  return cast(Operand(values, where) / divisor, x.dtype(), where);
}

}  // namespace wick::nn
