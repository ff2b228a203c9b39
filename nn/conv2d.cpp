#include "wick/nn/conv2d.h"

#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "wick/ir/error.h"
#include "wick/nn/init.h"

namespace wick::nn {

namespace {

Shape weight_shape(
    int64_t in, int64_t out, const Axes& kernel, const Conv2dOptions& options, Where where) {
  if (kernel.size() != 2) {
    throw Error(where, "conv2d", fmt::format("kernel must have two extents, has {}", kernel));
  }
  const int64_t groups = options.groups;
  if (groups < 1 || in % groups != 0 || out % groups != 0) {
    throw Error(
        where,
        "conv2d",
        fmt::format("{} channels in and {} out do not divide into {} groups", in, out, groups));
  }
  return {out, in / groups, kernel[0], kernel[1]};
}

}  // namespace

Conv2d::Conv2d(
    int64_t in, int64_t out, const Axes& kernel, Conv2dOptions options, bool bias, Where where)
    : options_(std::move(options)) {
  const Shape shape = weight_shape(in, out, kernel, options_, where);
  const int64_t fan_in = init::fans(shape, where).in;
  weight_ = register_parameter("weight", init::fan_in_uniform(shape, fan_in, where), where);
  if (bias) bias_ = register_parameter("bias", init::fan_in_uniform({out}, fan_in, where), where);
}

Tensor Conv2d::forward(const Tensor& x) {
  const Where where = call_site();
  const Tensor y = conv2d(x, weight_, options_, where);
  if (!bias_.defined()) return y;
  const Tensor bias = reshape(bias_, {1, bias_.shape()[0], 1, 1}, where);
  return Operand(y, where) + Operand(bias, where);
}

}  // namespace wick::nn
