#pragma once

// Pooling layers.

#include <utility>

#include "wick/nn/module.h"
#include "wick/tensor/ops_pool.h"

namespace wick::nn {

/// Largest element of each window: x f32[n,c,h,w] gives f32[n,c,h',w'] with
/// h' = (h + 2 padding - kernel) / stride + 1; the stride is the kernel unless set.
class MaxPool2d final : public Module {
 public:
  explicit MaxPool2d(MaxPoolOptions options) : options_(std::move(options)) {}

  /// Square windows, one beside the other.
  explicit MaxPool2d(int64_t kernel) : MaxPool2d(MaxPoolOptions{.kernel = {kernel}}) {}

  Tensor forward(const Tensor& x) override { return max_pool2d(x, options_, call_site()); }

 private:
  MaxPoolOptions options_;
};

/// Mean of each window, with shapes as in MaxPool2d. Padding counts as zeros
/// unless `count_include_pad` is false.
class AvgPool2d final : public Module {
 public:
  explicit AvgPool2d(AvgPoolOptions options) : options_(std::move(options)) {}

  /// Square windows, one beside the other.
  explicit AvgPool2d(int64_t kernel) : AvgPool2d(AvgPoolOptions{.kernel = {kernel}}) {}

  Tensor forward(const Tensor& x) override { return avg_pool2d(x, options_, call_site()); }

 private:
  AvgPoolOptions options_;
};

}  // namespace wick::nn
