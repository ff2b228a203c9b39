#pragma once

#include <initializer_list>

#include "wick/tensor/ops.h"
#include "wick/tensor/tensor.h"

namespace wick::testing_support {

/// A vector whose gradient is asked for.
inline Tensor leaf(std::initializer_list<float> values) {
  Tensor x = tensor(values);
  x.requires_grad_();
  return x;
}

}  // namespace wick::testing_support
