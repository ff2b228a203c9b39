#pragma once

// Batch normalization (Ioffe and Szegedy, 2015).

#include "wick/nn/module.h"

namespace wick::nn {

struct BatchNormOptions {
  double eps = 1e-5;
  /// Weight of the newest batch in the running statistics.
  double momentum = 0.1;
};

/// y = (x - mean) / sqrt(var + eps) * weight + bias for each channel of x f32[n,c,h,w]; weight and
/// bias f32[c]. Training uses mean and population variance of the batch and moves the buffers
/// running_mean and running_var f32[c] (unbiased variance) towards them; evaluation uses the
/// buffers. Error if x has not c channels.
class BatchNorm2d final : public Module {
 public:
  explicit BatchNorm2d(int64_t channels,
                       BatchNormOptions options = {},
                       Where where = Where::current());

  Tensor forward(const Tensor& x) override;

  [[nodiscard]] const Tensor& running_mean() const { return running_mean_.value(); }

  [[nodiscard]] const Tensor& running_var() const { return running_var_.value(); }

 private:
  int64_t channels_;
  BatchNormOptions options_;
  Parameter weight_;
  Parameter bias_;
  Buffer running_mean_;
  Buffer running_var_;
};

}  // namespace wick::nn
