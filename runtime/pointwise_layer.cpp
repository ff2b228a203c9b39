#include "wick/runtime/pointwise_layer.h"

#include <algorithm>
#include <array>

#include "wick/ir/channel_blocks.h"
#include "wick/runtime/convolution_axis.h"
#include "wick/runtime/even_parts.h"
#include "wick/runtime/pointwise.h"
#include "wick/runtime/vector_lanes.h"

namespace wick::runtime {
namespace {

/// The shapes of a convolution or of a gradient of one.
struct Shapes {
  const Shape& input;
  const Shape& weight;
  const Shape& output;
};

Shapes shapes_of(const LibraryOp& op) {
  const Shape& first = op.operands[0].shape;
  const Shape& second = op.operands[1].shape;
  const Shape& result = op.result.shape;
  if (op.op == ir::OpKind::conv) return {first, second, result};
  if (op.op == ir::OpKind::conv_input_grad) return {result, second, first};
  return {first, result, second};
}

PixelPlanes planes_of(const Shape& images, const Shape& weight) {
  const Shape plain = ir::plain_images(images, weight);
  const int64_t lanes = ir::channel_block(images, weight);
  return {.images = plain[0],
          .blocks = plain[1] / lanes,
          .height = plain[2],
          .width = plain[3],
          .lanes = lanes};
}

template <int64_t kChannels>
using Pixel = std::array<float, kChannels>;

/// Where a pixel of the outputs' plane has its window.
int64_t input_of(const PointwiseLayer& layer, int64_t output) {
  const int64_t width = layer.outputs.width;
  return output / width * layer.row_stride * layer.inputs.width +
         output % width * layer.column_stride;
}

/// Calls body(input, pixel) for each pixel of a range and the place of its window.
template <class Body>
void for_each_window(const PointwiseLayer& layer, const PixelRange& range, Body body) {
  const int64_t width = layer.outputs.width;
  int64_t pixel = 0;
  while (pixel < range.pixels) {
    const int64_t output = range.first + pixel;
    int64_t input = input_of(layer, output);
    const int64_t end = std::min(range.pixels, pixel + width - output % width);
    for (; pixel < end; ++pixel, input += layer.column_stride)
      body(input, pixel);
  }
}

template <int64_t kChannels>
void gather(const PointwiseLayer& layer,
            const PixelRange& range,
            const float* inputs,
            PixelRow<float> met) {
  for (int64_t block = 0; block < layer.inputs.blocks; ++block) {
    const int64_t plane = layer.inputs.offset(range.image, block, 0);
    const auto* from = reinterpret_cast<const Pixel<kChannels>*>(inputs + plane);
    auto* to = reinterpret_cast<Pixel<kChannels>*>(met.data + block * met.plane);
    for_each_window(layer, range, [&](int64_t input, int64_t pixel) { to[pixel] = from[input]; });
  }
}

template <int64_t kChannels>
void spread(const PointwiseLayer& layer,
            const PixelRange& range,
            PixelRow<const float> met,
            float* inputs) {
  const int64_t begin = input_of(layer, range.first);
  const int64_t next = input_of(layer, range.first + range.pixels);
  const int64_t end = std::min(layer.inputs.pixels(), next);
  for (int64_t block = 0; block < layer.inputs.blocks; ++block) {
    const int64_t plane = layer.inputs.offset(range.image, block, 0);
    const auto* from = reinterpret_cast<const Pixel<kChannels>*>(met.data + block * met.plane);
    auto* to = reinterpret_cast<Pixel<kChannels>*>(inputs + plane);
    std::fill(to + begin, to + end, Pixel<kChannels>{});
    for_each_window(layer, range, [&](int64_t input, int64_t pixel) { to[input] = from[pixel]; });
  }
}

}  // namespace

bool is_pointwise(const LibraryOp& op) {
  const bool is_convolution = op.op == ir::OpKind::conv || op.op == ir::OpKind::conv_input_grad ||
                              op.op == ir::OpKind::conv_weight_grad;
  if (!is_convolution || op.attributes.integer("groups", 1) != 1) return false;
  const auto [input, weight, output] = shapes_of(op);
  if (weight.ndim() != 4 || weight[2] != 1 || weight[3] != 1) return false;
  const int64_t block = ir::channel_block(input, weight);
  return (block == 8 || block == 16) && block <= vector_lanes() &&
         ir::channel_block(output, weight) == block &&
         std::ranges::all_of(op.attributes.integers("padding"), [](int64_t n) { return n == 0; });
}

PointwiseLayer pointwise_layer(const LibraryOp& op) {
  const auto [input, weight, output] = shapes_of(op);
  const auto stride = [&](int axis) {
    return convolution_axis(op.attributes, input, weight, output, axis).stride;
  };
  return {.inputs = planes_of(input, weight),
          .outputs = planes_of(output, weight),
          .row_stride = stride(2),
          .column_stride = stride(3)};
}

std::vector<PixelRange> pixel_ranges(const PixelPlanes& planes, int64_t most) {
  std::vector<PixelRange> ranges;
  const EvenParts parts(planes.pixels(), most);
  for (int64_t image = 0; image < planes.images; ++image) {
    for (int64_t part = 0; part < parts.count(); ++part)
      ranges.push_back({image, parts.begin(part), parts.size(part)});
  }
  return ranges;
}

void gather_met_inputs(const PointwiseLayer& layer,
                       const PixelRange& range,
                       const float* inputs,
                       PixelRow<float> met) {
  layer.inputs.lanes == 16 ? gather<16>(layer, range, inputs, met)
                           : gather<8>(layer, range, inputs, met);
}

void spread_met_inputs(const PointwiseLayer& layer,
                       const PixelRange& range,
                       PixelRow<const float> met,
                       float* inputs) {
  layer.inputs.lanes == 16 ? spread<16>(layer, range, met, inputs)
                           : spread<8>(layer, range, met, inputs);
}

}  // namespace wick::runtime
