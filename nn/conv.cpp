#include "wick/nn/conv.h"

#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "wick/ir/error.h"
#include "wick/nn/init.h"

namespace wick::nn {

namespace {

struct Channels {
  int64_t in;
  int64_t out;
  int64_t groups;
};

/// [first, second / groups, kernel...]; Error unless channels and kernel make sense.
Shape weight_shape(std::string_view op,
                   const Channels& channels,
                   bool transposed,
                   const Axes& kernel,
                   int num_axes,
                   Where where) {
  if (kernel.size() != 1 && std::ssize(kernel) != num_axes) {
    constexpr auto kText = "kernel must be one number or {}, one an axis, is {}";
    throw Error(where, op, fmt::format(kText, num_axes, kernel));
  }
  const auto [in, out, groups] = channels;
  if (groups < 1 || in % groups != 0 || out % groups != 0) {
    constexpr auto kText = "{} channels in and {} out do not divide into {} groups";
    throw Error(where, op, fmt::format(kText, in, out, groups));
  }
  std::vector<int64_t> extents{transposed ? in : out, (transposed ? out : in) / groups};
  for (size_t i = 0; i < static_cast<size_t>(num_axes); ++i)
    extents.push_back(kernel.size() == 1 ? kernel[0] : kernel[i]);
  return Shape(std::span<const int64_t>(extents));
}

struct Convolution {
  std::string_view name;
  Tensor (*function)(const Tensor& x, const Tensor& w, const ConvOptions& options, Where where);
};

/// By the number of spatial axes, from 1 on.
constexpr Convolution kConvolutions[] = {
    {"conv1d", conv1d}, {"conv2d", conv2d}, {"conv3d", conv3d}};

}  // namespace

void ConvLayer::start(Shape weight, int64_t out, bool bias, Where where) {
  const int64_t fan_in = init::fans(weight, where).in;
  weight_ =
      register_parameter("weight", init::fan_in_uniform(std::move(weight), fan_in, where), where);
  if (bias) bias_ = register_parameter("bias", init::fan_in_uniform({out}, fan_in, where), where);
}

template <int kNumAxes>
Conv<kNumAxes>::Conv(
    int64_t in, int64_t out, const Axes& kernel, ConvOptions options, bool bias, Where where)
    : options_(std::move(options)) {
  const Channels channels{in, out, options_.groups};
  const std::string_view op = kConvolutions[kNumAxes - 1].name;
  start(weight_shape(op, channels, false, kernel, kNumAxes, where), out, bias, where);
}

template <int kNumAxes>
Tensor Conv<kNumAxes>::forward(const Tensor& x) {
  const auto convolve = kConvolutions[kNumAxes - 1].function;
  return convolve(x, weight(), with_bias(options_), call_site());
}

template class Conv<1>;
template class Conv<2>;
template class Conv<3>;

ConvTranspose2d::ConvTranspose2d(int64_t in,
                                 int64_t out,
                                 const Axes& kernel,
                                 ConvTransposeOptions options,
                                 bool bias,
                                 Where where)
    : options_(std::move(options)) {
  const Channels channels{in, out, options_.groups};
  start(weight_shape("conv_transpose2d", channels, true, kernel, 2, where), out, bias, where);
}

Tensor ConvTranspose2d::forward(const Tensor& x) {
  return conv_transpose2d(x, weight(), with_bias(options_), call_site());
}

}  // namespace wick::nn
