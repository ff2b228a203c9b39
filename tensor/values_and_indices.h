#pragma once

#include "wick/tensor/tensor.h"

namespace wick {

/// Elements and their i64 positions along an axis.
struct ValuesAndIndices {
  Tensor values;
  Tensor indices;
};

}  // namespace wick
