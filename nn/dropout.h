#pragma once

// Dropout (Srivastava et al., 2014).

#include "wick/nn/module.h"

namespace wick::nn {

/// In training each element is 0 with probability `rate`, otherwise x / (1 - rate); in evaluation
/// y = x. The draws come from the process-wide stream of manual_seed(). Error unless
/// 0 <= rate < 1.
class Dropout final : public Module {
 public:
  explicit Dropout(double rate = 0.5, Where where = Where::current());

  Tensor forward(const Tensor& x) override;

 private:
  double rate_;
};

}  // namespace wick::nn
