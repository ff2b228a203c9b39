#include "wick/nn/dropout.h"

#include <fmt/format.h>

#include "wick/ir/error.h"

namespace wick::nn {

Dropout::Dropout(double rate, Where where) : rate_(rate) {
  if (!(rate >= 0 && rate < 1)) {
    throw Error(where, "dropout", fmt::format("the rate must be in [0, 1), it is {}", rate));
  }
}

Tensor Dropout::forward(const Tensor& x) {
  if (!is_training() || rate_ == 0) return x;
  const Where where = call_site();
  const Tensor kept = rand(x.shape(), DType::f32, where) >= rate_;
  return wick::where(kept, x * (1.0 / (1.0 - rate_)), 0);
}

}  // namespace wick::nn
