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
  return dropout(x, rate_, default_generator(), call_site());
}

}  // namespace wick::nn
