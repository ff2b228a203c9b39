#pragma once

// ResNet-50 (He et al., 2016) with the stride on the 3x3 convolution, images [n,3,224,224].

#include <utility>

#include "wick/nn/nn.h"

namespace wick::bench {

/// Convolution without bias and batch normalization.
inline nn::Sequential normalized_conv(int64_t in, int64_t out, int64_t kernel, int64_t stride) {
  const ConvOptions options{.stride = {stride}, .padding = {kernel / 2}};
  return nn::Sequential(nn::Conv2d(in, out, {kernel}, options, /*bias=*/false),
                        nn::BatchNorm2d(out));
}

/// relu(body(x) + shortcut(x)).
class Bottleneck final : public nn::Module {
 public:
  static constexpr int64_t kExpansion = 4;

  Bottleneck(int64_t in, int64_t planes, int64_t stride)
      : body_(register_module("body",
                              nn::Sequential(normalized_conv(in, planes, 1, 1),
                                             nn::ReLU(),
                                             normalized_conv(planes, planes, 3, stride),
                                             nn::ReLU(),
                                             normalized_conv(planes, planes * kExpansion, 1, 1)))) {
    const int64_t out = planes * kExpansion;
    if (in != out || stride > 1)
      projection_ = register_module("projection", normalized_conv(in, out, 1, stride));
  }

  Tensor forward(const Tensor& x) override {
    const Tensor y = (*body_)(x);
    return relu(y + (projection_ ? (*projection_)(x) : x));
  }

 private:
  std::shared_ptr<nn::Sequential> body_;
  std::shared_ptr<nn::Sequential> projection_;  // null: x as it is
};

/// Mean over the pixels: [n,c,h,w] gives [n,c].
class MeanOverPixels final : public nn::Module {
 public:
  Tensor forward(const Tensor& x) override { return mean(x, {2, 3}); }
};

inline nn::Sequential resnet50() {
  nn::Sequential net(normalized_conv(3, 64, 7, 2),
                     nn::ReLU(),
                     nn::MaxPool2d(MaxPoolOptions{.kernel = {3}, .stride = {2}, .padding = {1}}));
  int64_t in = 64;
  int64_t planes = 64;
  for (const int blocks : {3, 4, 6, 3}) {
    for (int i = 0; i < blocks; ++i) {
      net.append(Bottleneck(in, planes, i == 0 && planes > 64 ? 2 : 1));
      in = planes * Bottleneck::kExpansion;
    }
    planes *= 2;
  }
  net.append(MeanOverPixels()).append(nn::Linear(in, 1000));
  return net;
}

}  // namespace wick::bench
