#pragma once

// Layers that normalize groups of channels of each sample.

#include "wick/nn/module.h"

namespace wick::nn {

/// group_norm with weight and bias f32[channels]: x f32[n,channels,...] gives the same type (Wu and
/// He, 2018). Error if the channels do not divide into the groups.
class GroupNorm final : public Module {
 public:
  GroupNorm(int64_t num_groups,
            int64_t channels,
            double eps = 1e-5,
            Where where = Where::current());

  Tensor forward(const Tensor& x) override;

 private:
  int64_t num_groups_;
  double eps_;
  Parameter weight_;
  Parameter bias_;
};

/// instance_norm with weight and bias f32[channels]: x f32[n,channels,...] gives the same type
/// (Ulyanov et al., 2016).
class InstanceNorm final : public Module {
 public:
  explicit InstanceNorm(int64_t channels, double eps = 1e-5, Where where = Where::current());

  Tensor forward(const Tensor& x) override;

 private:
  double eps_;
  Parameter weight_;
  Parameter bias_;
};

}  // namespace wick::nn
