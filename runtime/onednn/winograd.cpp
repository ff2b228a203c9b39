#include "wick/runtime/onednn/winograd.h"

#include <algorithm>

#include "wick/ir/channel_blocks.h"
#include "wick/runtime/direct_gemm.h"
#include "wick/runtime/onednn/sgemm.h"
#include "wick/runtime/parallel.h"
#include "wick/runtime/vector_lanes.h"
#include "wick/runtime/winograd_tiles.h"

namespace wick::runtime::onednn {
namespace {

using winograd::Grid;
using winograd::Images;
using winograd::kPoints;
using winograd::Matrices;
using winograd::TileRange;
using winograd::Transforms;
using winograd::Windows;

/// Images, or cotangents or gradients of images, of a convolution with windows of this shape.
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

Grid::Padding padding_of(const LibraryOp& op) {
  const std::vector<int64_t>& padding = op.attributes.integers("padding");
  return padding.empty() ? Grid::Padding{} : Grid::Padding{padding[0], padding[1]};
}

/// Those of the widest vectors that divide the blocks of the images on both sides.
const Transforms* transforms_for(const Images& some, const Images& others, int64_t window) {
  const auto are_divided = [](const Images& images) {
    return images.block == 1 || images.block % 16 == 0;
  };
  if (vector_lanes() >= 16 && are_divided(some) && are_divided(others))
    return winograd::find_transforms<16>(window);
  return have_vectors() ? winograd::find_transforms<8>(window) : nullptr;
}

/// Of small matrices, and under few rows, oneDNN's copies take longer than they save.
void multiply(const GemmArgs<float>& args) {
  constexpr int64_t kSmall = 16384;  // elements
  constexpr int64_t kFewRows = 32;
  const bool copies_pay = args.n * args.k > kSmall && args.m > kFewRows;
  const Gemm<float>& gemm = vector_lanes() == 16 && !copies_pay
                                ? *direct_gemms<16>().along_columns.gemm
                                : *sgemm_library.gemm;
  gemm(args);
}

/// Some of many channels.
struct Channels {
  int64_t first = 0;
  int64_t count = 0;
};

/// Those of the images, which begin so many elements after theirs.
Images part_of(Images images, Channels channels) {
  images.channels = channels.count;
  return images;
}

int64_t offset_in(const Images& images, Channels channels) {
  return channels.first * images.plane();
}

/// A call that goes over the channels of one side of its windows in parts, since windows take four
/// times their memory when transformed.
class WinogradCall : public HostCall {
 public:
  std::string_view implementation() const final { return "winograd by parts"; }

 protected:
  WinogradCall(int64_t channels, int64_t others) : channels_(channels) {
    constexpr int64_t kMostWindows = 65536;
    constexpr int64_t kLine = 16;  // as many as blocks have at most
    const int64_t parts = ceil_div(channels * others, kMostWindows);
    part_ = ceil_div(ceil_div(channels, parts), kLine) * kLine;
  }

  int64_t largest_part() const { return std::min(part_, channels_); }

  template <class Body>
  void for_each_part(Body body) const {
    for (int64_t first = 0; first < channels_; first += part_)
      body(Channels{first, std::min(part_, channels_ - first)});
  }

 private:
  int64_t channels_;
  int64_t part_;
};

/// A convolution, or the gradient of its inputs, which is a convolution with turned windows.
class WinogradImages final : public WinogradCall {
 public:
  WinogradImages(const LibraryOp& op, const Transforms& transforms)
      : WinogradImages(op,
                       transforms,
                       images_of(op.operands[0].shape, op.operands[1].shape),
                       images_of(op.result.shape, op.operands[1].shape)) {}

  size_t scratch_bytes() const override {
    const Matrices windows(from_.channels, largest_part());
    return static_cast<size_t>(windows.size() + lanes_ * lane_elements()) * sizeof(float);
  }

  void run(const void* const* operands, void* result, std::byte* scratch) const override {
    const auto* from = static_cast<const float*>(operands[0]);
    const auto* windows = static_cast<const float*>(operands[1]);
    auto* to = static_cast<float*>(result);
    auto* transformed = reinterpret_cast<float*>(scratch);
    for_each_part([&](Channels part) {
      const Matrices layout(from_.channels, part.count);
      transform_windows(part, windows, transformed, layout);
      parallel_for(lanes_, [&](int64_t lane) {
        const ThreadCountScope one_thread(1);
        float* lane_scratch = transformed + layout.size() + lane * lane_elements();
        for (int64_t block = lane; block < num_blocks(); block += lanes_)
          convolve(block, part, from, transformed, layout, to, lane_scratch);
      });
    });
  }

 private:
  static constexpr int64_t kBlock = 64;

  WinogradImages(const LibraryOp& op,
                 const Transforms& transforms,
                 const Images& from,
                 const Images& to)
      : WinogradCall(to.channels, from.channels),
        transforms_(transforms),
        is_gradient_(op.op == ir::OpKind::conv_input_grad),
        from_(from),
        to_(to),
        windows_(windows_of(op.operands[1].shape)),
        grid_(op.result.shape[0],
              to.height,
              to.width,
              transforms.outputs,
              is_gradient_ ? turned(padding_of(op)) : padding_of(op)),
        block_(std::min<int64_t>(grid_.tiles(), kBlock)),
        lanes_(std::min<int64_t>(num_blocks(), max_threads())) {}

  [[nodiscard]] Grid::Padding turned(Grid::Padding padding) const {
    return {transforms_.window - 1 - padding.rows, transforms_.window - 1 - padding.columns};
  }

  int64_t num_blocks() const { return ceil_div(grid_.tiles(), block_); }

  int64_t lane_elements() const {
    return Matrices(block_, from_.channels).size() + Matrices(block_, largest_part()).size();
  }

  void transform_windows(Channels part,
                         const float* from,
                         float* to,
                         const Matrices& layout) const {
    constexpr int64_t kGrain = 4096;  // windows
    const int64_t grain = std::max<int64_t>(1, kGrain / part.count);
    parallel_ranges(from_.channels, grain, [&](int64_t begin, int64_t end) {
      Windows windows = windows_;
      if (is_gradient_) {
        windows.inputs = part.count;
        const float* first = from + part.first * transforms_.window * transforms_.window;
        transforms_.turned_windows(windows, first, begin, end, to, layout);
      } else {
        windows.outputs = part.count;
        const float* first = from + part.first * windows.stride;
        transforms_.windows(windows, first, begin, end, to, layout);
      }
    });
  }

  void convolve(int64_t block,
                Channels part,
                const float* from,
                const float* windows,
                const Matrices& window_layout,
                float* to,
                float* scratch) const {
    const int64_t begin = block * block_;
    const int64_t end = std::min(grid_.tiles(), begin + block_);
    const Matrices in(block_, from_.channels);
    const Matrices out(block_, part.count);
    float* inputs = scratch;
    float* outputs = scratch + in.size();
    transforms_.inputs(from_, grid_, from, begin, end, inputs, in);
    for (int64_t point = 0; point < kPoints; ++point) {
      const TileRange tiles = grid_.tiles_of(point).common({begin, end});
      if (tiles.size() == 0) continue;
      const int64_t row = tiles.begin - begin;
      multiply({.transpose_lhs = 'N',
                .transpose_rhs = 'N',
                .m = tiles.size(),
                .n = part.count,
                .k = from_.channels,
                .lhs = inputs + point * in.stride() + row * in.row_stride(),
                .lhs_stride = in.row_stride(),
                .rhs = windows + point * window_layout.stride(),
                .rhs_stride = window_layout.row_stride(),
                .out = outputs + point * out.stride() + row * out.row_stride(),
                .out_stride = out.row_stride()});
    }
    transforms_.inverse_outputs(
        part_of(to_, part), grid_, outputs, out, begin, end, to + offset_in(to_, part));
  }

  const Transforms& transforms_;
  bool is_gradient_;
  Images from_;
  Images to_;
  Windows windows_;
  Grid grid_;
  int64_t block_;  // tiles
  int64_t lanes_;  // that walk blocks of tiles, each with scratch of its own
};

/// The gradient of the windows. Blocks of tiles are added one after the other, whatever the number
/// of threads, which share the points.
class WinogradWindows final : public WinogradCall {
 public:
  WinogradWindows(const LibraryOp& op, const Transforms& transforms)
      : WinogradCall(op.result.shape[0], op.result.shape[1]),
        transforms_(transforms),
        inputs_(images_of(op.operands[0].shape, op.result.shape)),
        outputs_(images_of(op.operands[1].shape, op.result.shape)),
        windows_(windows_of(op.result.shape)),
        grid_(op.operands[0].shape[0],
              outputs_.height,
              outputs_.width,
              transforms.outputs,
              padding_of(op)),
        block_(std::min<int64_t>(grid_.tiles(), kBlock)) {}

  size_t scratch_bytes() const override {
    return static_cast<size_t>(Matrices(largest_part(), windows_.inputs).size() +
                               Matrices(block_, windows_.inputs).size() +
                               Matrices(block_, largest_part()).size()) *
           sizeof(float);
  }

  void run(const void* const* operands, void* result, std::byte* scratch) const override {
    for_each_part([&](Channels part) {
      const auto* inputs = static_cast<const float*>(operands[0]);
      const auto* cotangents = static_cast<const float*>(operands[1]) + offset_in(outputs_, part);
      auto* sums = reinterpret_cast<float*>(scratch);
      const Matrices layout(part.count, windows_.inputs);
      sum_products(part, inputs, cotangents, sums, layout);
      Windows windows = windows_;
      windows.outputs = part.count;
      auto* gradient = static_cast<float*>(result) + part.first * windows.stride;
      parallel_ranges(part.count, 1, [&](int64_t begin, int64_t end) {
        transforms_.inverse_windows(windows, sums, layout, begin, end, gradient);
      });
    });
  }

 private:
  static constexpr int64_t kBlock = 256;

  void sum_products(Channels part,
                    const float* inputs,
                    const float* cotangents,
                    float* sums,
                    const Matrices& sum_layout) const {
    const Matrices in(block_, windows_.inputs);
    const Matrices out(block_, part.count);
    const Images outputs = part_of(outputs_, part);
    float* input_rows = sums + sum_layout.size();
    float* cotangent_rows = input_rows + in.size();
    for (int64_t begin = 0; begin < grid_.tiles(); begin += block_) {
      const int64_t tiles = std::min(grid_.tiles() - begin, block_);
      constexpr int64_t kGrain = 8;
      parallel_ranges(tiles, kGrain, [&](int64_t first, int64_t last) {
        float* to = input_rows + first * in.row_stride();
        transforms_.inputs(inputs_, grid_, inputs, begin + first, begin + last, to, in);
        to = cotangent_rows + first * out.row_stride();
        transforms_.cotangents(outputs, grid_, cotangents, begin + first, begin + last, to, out);
      });
      parallel_for(kPoints, [&](int64_t point) {
        const ThreadCountScope one_thread(1);
        const TileRange all = grid_.tiles_of(point);
        const TileRange some = all.common({begin, begin + tiles});
        float* of_point = sums + point * sum_layout.stride();
        if (all.size() == 0 && begin == 0) std::fill_n(of_point, sum_layout.stride(), 0.0F);
        if (some.size() == 0) return;
        const int64_t row = some.begin - begin;
        multiply({.transpose_lhs = 'T',
                  .transpose_rhs = 'N',
                  .m = part.count,
                  .n = windows_.inputs,
                  .k = some.size(),
                  .lhs = cotangent_rows + point * out.stride() + row * out.row_stride(),
                  .lhs_stride = out.row_stride(),
                  .rhs = input_rows + point * in.stride() + row * in.row_stride(),
                  .rhs_stride = in.row_stride(),
                  .out = of_point,
                  .out_stride = sum_layout.row_stride(),
                  .adds = all.begin < begin});
      });
    }
  }

  const Transforms& transforms_;
  Images inputs_;
  Images outputs_;
  Windows windows_;
  Grid grid_;
  int64_t block_;  // tiles
};

}  // namespace

std::unique_ptr<HostCall> make_winograd(const LibraryOp& op) {
  const bool is_of_windows = op.op == ir::OpKind::conv_weight_grad;
  const Shape& windows = is_of_windows ? op.result.shape : op.operands[1].shape;
  const Shape& outputs = is_of_windows ? op.operands[1].shape : op.result.shape;
  const Transforms* transforms = transforms_for(
      images_of(op.operands[0].shape, windows), images_of(outputs, windows), windows[2]);
  if (transforms == nullptr) return nullptr;
  if (is_of_windows) return std::make_unique<WinogradWindows>(op, *transforms);
  return std::make_unique<WinogradImages>(op, *transforms);
}

}  // namespace wick::runtime::onednn
