#include "network.h"

#include "wick/nn/activations.h"
#include "wick/nn/conv.h"
#include "wick/nn/dropout.h"
#include "wick/nn/linear.h"
#include "wick/nn/pooling.h"

namespace mnist {

wick::nn::Sequential make_network() {
  namespace nn = wick::nn;
  return nn::Sequential(nn::Conv2d(1, 32, {5, 5}, {.padding = {2, 2}}),
                        nn::ReLU(),
                        nn::MaxPool2d(2),
                        nn::Conv2d(32, 64, {5, 5}, {.padding = {2, 2}}),
                        nn::ReLU(),
                        nn::MaxPool2d(2),
                        nn::Flatten(),
                        nn::Linear(64 * 7 * 7, 1024),
                        nn::ReLU(),
                        nn::Dropout(0.5),
                        nn::Linear(1024, 10),
                        nn::LogSoftmax());
}

}  // namespace mnist
