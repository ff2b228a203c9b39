#pragma once

// A multilayer perceptron for MNIST.

#include "wick/nn/nn.h"

namespace wick::bench {

inline nn::Sequential mlp() {
  return nn::Sequential(
      nn::Linear(784, 1024), nn::ReLU(), nn::Linear(1024, 1024), nn::ReLU(), nn::Linear(1024, 10));
}

}  // namespace wick::bench
