#pragma once

// Normalizations. Weight and bias, where they are defined, scale and shift the normalized values.
// Variances are those of the population. Half types compute in f32. Errors name the shapes that do
// not fit.

#include <cstdint>

#include "wick/tensor/ops.h"
#include "wick/tensor/tensor.h"

namespace wick::nn {

struct NormOptions {
  Tensor weight = {};
  Tensor bias = {};
  double eps = 1e-5;
};

/// (x - mean) / sqrt(var + eps) over the last axes, whose extents are `normalized`; weight and bias
/// have that shape (Ba, Kiros and Hinton, 2016).
Tensor layer_norm(const Tensor& x,
                  const Shape& normalized,
                  const NormOptions& options = {},
                  Where where = Where::current());

/// x / sqrt(mean of x^2 + eps) over the last axes, whose extents are `normalized`; the weight has
/// that shape (Zhang and Sennrich, 2019).
Tensor rms_norm(const Tensor& x,
                const Shape& normalized,
                const NormOptions& options = {},
                Where where = Where::current());

/// layer_norm of each group of channels of x f32[n,c,...]; weight and bias f32[c] (Wu and He,
/// 2018).
Tensor group_norm(const Tensor& x,
                  int64_t num_groups,
                  const NormOptions& options = {},
                  Where where = Where::current());

/// layer_norm of each channel of x f32[n,c,...]; weight and bias f32[c] (Ulyanov et al., 2016).
Tensor instance_norm(const Tensor& x,
                     const NormOptions& options = {},
                     Where where = Where::current());

/// The statistics of channels, f32[c] each.
struct ChannelStatistics {
  Tensor mean;
  Tensor var;
};

/// (x - mean) / sqrt(var + eps) by given statistics for each channel of x f32[n,c,...]; weight and
/// bias f32[c] (Ioffe and Szegedy, 2015).
Tensor batch_norm(const Tensor& x,
                  const ChannelStatistics& statistics,
                  const NormOptions& options = {},
                  Where where = Where::current());

struct BatchNormResult {
  Tensor output;
  /// (1 - momentum) running + momentum batch, with the unbiased variance of the batch; a constant
  /// to autograd. Undefined where the running statistics were.
  ChannelStatistics running;
};

/// batch_norm by mean and variance of the batch itself, as in training.
BatchNormResult batch_norm_training(const Tensor& x,
                                    const ChannelStatistics& running,
                                    double momentum = 0.1,
                                    const NormOptions& options = {},
                                    Where where = Where::current());

struct LocalResponseNormOptions {
  int64_t size = 5;
  double alpha = 1e-4;
  double beta = 0.75;
  double k = 1;
};

/// x / (k + alpha mean of x^2 over `size` channels around)^beta for x f32[n,c,...], channels
/// outside counting as 0 (Krizhevsky et al., 2012).
Tensor local_response_norm(const Tensor& x,
                           const LocalResponseNormOptions& options = {},
                           Where where = Where::current());

}  // namespace wick::nn
