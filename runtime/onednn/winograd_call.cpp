#include "wick/runtime/onednn/winograd_call.h"

#include "wick/ir/channel_blocks.h"
#include "wick/runtime/onednn/sgemm.h"
#include "wick/runtime/vector_lanes.h"

namespace wick::runtime::onednn {

using winograd::Grid;
using winograd::Images;
using winograd::Windows;

Images images_of(const Shape& shape, const Shape& windows) {
  const Shape plain = ir::plain_images(shape, windows);
  return {.channels = plain[1],
          .height = plain[2],
          .width = plain[3],
          .block = ir::channel_block(shape, windows),
          .stride = plain[1] * plain[2] * plain[3]};
}

Windows windows_of(const Shape& shape) {
  return {.outputs = shape[0], .inputs = shape[1], .stride = shape[1] * shape[2] * shape[3]};
}

Pair pair_of(const LibraryOp& op, const char* name, int64_t otherwise) {
  const std::vector<int64_t>& values = op.attributes.integers(name);
  return values.empty() ? Pair{otherwise, otherwise} : Pair{values[0], values[1]};
}

Grid::Axis axis_of_outputs(int64_t extent, int64_t padding) {
  return {.units = extent, .first_output = 0, .first_input = -padding};
}

void multiply_points(const GemmArgs<float>& args) {
  constexpr int64_t kSmall = 16384;  // elements
  constexpr int64_t kFewRows = 32;
  const bool copies_pay = args.n * args.k > kSmall && args.m > kFewRows;
  const Gemm<float>& gemm = vector_lanes() == 16 && !copies_pay
                                ? *direct_gemms<16>().along_columns.gemm
                                : *sgemm_library.gemm;
  gemm(args);
}

Images part_of(Images images, Channels channels) {
  images.channels = channels.count;
  return images;
}

int64_t offset_in(const Images& images, Channels channels) {
  return channels.first * images.plane();
}

}  // namespace wick::runtime::onednn
