#include "wick/nn/sequential.h"

namespace wick::nn {

Tensor Sequential::forward(const Tensor& x) {
  Tensor value = x;
  for (size_t i = 0; i < num_children(); ++i) {
    value = child(i).forward(value);  // not operator(): errors name the call of the whole chain
  }
  return value;
}

}  // namespace wick::nn
