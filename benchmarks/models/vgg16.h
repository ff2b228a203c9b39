#pragma once

// VGG16 (Simonyan and Zisserman, 2015), images [n,3,224,224].

#include "wick/nn/nn.h"

namespace wick::bench {

inline nn::Sequential vgg16() {
  nn::Sequential net;
  int64_t in = 3;
  const std::vector<int64_t> stages[] = {
      {64, 64}, {128, 128}, {256, 256, 256}, {512, 512, 512}, {512, 512, 512}};
  for (const std::vector<int64_t>& stage : stages) {
    for (const int64_t out : stage) {
      net.append(nn::Conv2d(in, out, {3}, {.padding = {1}})).append(nn::ReLU());
      in = out;
    }
    net.append(nn::MaxPool2d(2));
  }
  net.append(nn::Flatten())
      .append(nn::Linear(512 * 7 * 7, 4096))
      .append(nn::ReLU())
      .append(nn::Dropout(0.5))
      .append(nn::Linear(4096, 4096))
      .append(nn::ReLU())
      .append(nn::Dropout(0.5))
      .append(nn::Linear(4096, 1000));
  return net;
}

}  // namespace wick::bench
