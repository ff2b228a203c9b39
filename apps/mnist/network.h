#pragma once

// The convolutional network.

#include "wick/nn/sequential.h"

namespace mnist {

/// Images f32[n,1,28,28] to log-probabilities f32[n,10]: two convolutions of 32 and 64 channels
/// with 5x5 windows, each before a ReLU and a 2x2 pooling, a hidden layer of 1024 with dropout 0.5.
wick::nn::Sequential make_network();

}  // namespace mnist
