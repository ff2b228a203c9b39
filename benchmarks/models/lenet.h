#pragma once

// The convolutional network of the MNIST example, images [n,1,28,28].

#include "wick/nn/nn.h"

namespace wick::bench {

inline nn::Sequential lenet() {
  return nn::Sequential(nn::Conv2d(1, 32, {5}, {.padding = {2}}),
                        nn::ReLU(),
                        nn::MaxPool2d(2),
                        nn::Conv2d(32, 64, {5}, {.padding = {2}}),
                        nn::ReLU(),
                        nn::MaxPool2d(2),
                        nn::Flatten(),
                        nn::Linear(64 * 7 * 7, 1024),
                        nn::ReLU(),
                        nn::Dropout(0.5),
                        nn::Linear(1024, 10));
}

}  // namespace wick::bench
