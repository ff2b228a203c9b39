#include "wick/runtime/onednn/winograd.h"

#include <algorithm>

#include <dnnl.hpp>

#include "wick/ir/channel_blocks.h"
#include "wick/ir/check.h"
#include "wick/runtime/parallel.h"
#include "wick/runtime/winograd_tiles.h"

namespace wick::runtime::onednn {
namespace {

using winograd::Grid;
using winograd::Images;
using winograd::kPoints;
using winograd::Matrices;
using winograd::Windows;

/// Images, or cotangents or gradients of images, of a convolution with windows of this shape.
Images images_of(const Shape& shape, const Shape& windows) {
  const Shape plain = ir::plain_images(shape, windows);
  return {.count = plain[0],
          .channels = plain[1],
          .height = plain[2],
          .width = plain[3],
          .block = ir::channel_block(shape, windows)};
}

struct Padding {
  int64_t rows = 0;
  int64_t columns = 0;
};

Padding padding_of(const LibraryOp& op) {
  const std::vector<int64_t>& padding = op.attributes.integers("padding");
  return padding.empty() ? Padding{} : Padding{padding[0], padding[1]};
}

Grid grid_of(const Images& outputs, Padding padding) {
  const auto tiles = [](int64_t extent) {
    return (extent + winograd::kOutputs - 1) / winograd::kOutputs;
  };
  return {.images = outputs.count,
          .rows = tiles(outputs.height),
          .columns = tiles(outputs.width),
          .row_padding = padding.rows,
          .column_padding = padding.columns};
}

struct Product {
  int64_t m;
  int64_t n;
  int64_t k;
  bool transposes_lhs = false;
  bool adds = false;  // to what is there
};

void multiply(const Product& size,
              const float* lhs,
              int64_t lhs_stride,
              const float* rhs,
              int64_t rhs_stride,
              float* out,
              int64_t out_stride) {
  const dnnl::status status = dnnl::sgemm(size.transposes_lhs ? 'T' : 'N',
                                          'N',
                                          size.m,
                                          size.n,
                                          size.k,
                                          1.0F,
                                          lhs,
                                          lhs_stride,
                                          rhs,
                                          rhs_stride,
                                          size.adds ? 1.0F : 0.0F,
                                          out,
                                          out_stride);
  check(status == dnnl::status::success, "sgemm takes every shape");
}

/// A convolution, or the gradient of its inputs, which is a convolution with turned windows.
class WinogradImages final : public HostCall {
 public:
  explicit WinogradImages(const LibraryOp& op)
      : is_gradient_(op.op == ir::OpKind::conv_input_grad),
        from_(images_of(op.operands[0].shape, op.operands[1].shape)),
        to_(images_of(op.result.shape, op.operands[1].shape)),
        windows_{op.operands[1].shape[0], op.operands[1].shape[1]},
        grid_(grid_of(to_, is_gradient_ ? turned(padding_of(op)) : padding_of(op))),
        lanes_(std::min<int64_t>(num_blocks(), max_threads())) {}

  std::string_view implementation() const override { return "winograd of onednn sgemm"; }

  size_t scratch_bytes() const override {
    return static_cast<size_t>(window_matrices().size() + lanes_ * lane_elements()) * sizeof(float);
  }

  void run(const void* const* operands, void* result, std::byte* scratch) const override {
    auto* windows = reinterpret_cast<float*>(scratch);
    transform_windows(static_cast<const float*>(operands[1]), windows);
    float* lanes = windows + window_matrices().size();
    parallel_for(lanes_, [&](int64_t lane) {
      const ThreadCountScope one_thread(1);
      for (int64_t block = lane; block < num_blocks(); block += lanes_)
        convolve(block,
                 static_cast<const float*>(operands[0]),
                 windows,
                 static_cast<float*>(result),
                 lanes + lane * lane_elements());
    });
  }

 private:
  static constexpr int64_t kBlock = 64;  // tiles

  static Padding turned(Padding padding) {
    return {winograd::kWindow - 1 - padding.rows, winograd::kWindow - 1 - padding.columns};
  }

  int64_t num_blocks() const { return (grid_.tiles() + kBlock - 1) / kBlock; }

  Matrices window_matrices() const { return {from_.channels, to_.channels}; }

  Matrices input_matrices() const { return {kBlock, from_.channels}; }

  Matrices output_matrices() const { return {kBlock, to_.channels}; }

  int64_t lane_elements() const { return input_matrices().size() + output_matrices().size(); }

  void transform_windows(const float* from, float* to) const {
    constexpr int64_t kGrain = 4096;  // windows
    const int64_t rows = from_.channels;
    parallel_ranges(
        rows, std::max<int64_t>(1, kGrain / to_.channels), [&](int64_t begin, int64_t end) {
          const auto transform =
              is_gradient_ ? winograd::transform_turned_windows : winograd::transform_windows;
          transform(windows_, from, begin, end, to, window_matrices());
        });
  }

  void convolve(
      int64_t block, const float* from, const float* windows, float* to, float* scratch) const {
    const int64_t begin = block * kBlock;
    const int64_t end = std::min(grid_.tiles(), begin + kBlock);
    const Matrices in = input_matrices();
    const Matrices out = output_matrices();
    const Matrices weights = window_matrices();
    float* inputs = scratch;
    float* outputs = scratch + in.size();
    winograd::transform_inputs(from_, grid_, from, begin, end, inputs, in);
    for (int64_t point = 0; point < kPoints; ++point)
      multiply({.m = end - begin, .n = to_.channels, .k = from_.channels},
               inputs + point * in.stride(),
               in.row_stride(),
               windows + point * weights.stride(),
               weights.row_stride(),
               outputs + point * out.stride(),
               out.row_stride());
    winograd::inverse_transform_outputs(to_, grid_, outputs, out, begin, end, to);
  }

  bool is_gradient_;
  Images from_;
  Images to_;
  Windows windows_;
  Grid grid_;
  int64_t lanes_;  // that walk blocks of tiles, each with scratch of its own
};

/// The gradient of the windows. Blocks of tiles are added one after the other, whatever the number
/// of threads, which share the points.
class WinogradWindows final : public HostCall {
 public:
  explicit WinogradWindows(const LibraryOp& op)
      : inputs_(images_of(op.operands[0].shape, op.result.shape)),
        outputs_(images_of(op.operands[1].shape, op.result.shape)),
        grid_(grid_of(outputs_, padding_of(op))),
        block_(std::min<int64_t>(grid_.tiles(), kBlock)) {}

  std::string_view implementation() const override { return "winograd of onednn sgemm"; }

  size_t scratch_bytes() const override {
    return static_cast<size_t>(sum_matrices().size() + input_matrices().size() +
                               cotangent_matrices().size()) *
           sizeof(float);
  }

  void run(const void* const* operands, void* result, std::byte* scratch) const override {
    auto* sums = reinterpret_cast<float*>(scratch);
    float* inputs = sums + sum_matrices().size();
    float* cotangents = inputs + input_matrices().size();
    for (int64_t begin = 0; begin < grid_.tiles(); begin += block_) {
      const int64_t end = std::min(grid_.tiles(), begin + block_);
      transform_tiles(operands, begin, end, inputs, cotangents);
      add_products(end - begin, begin > 0, inputs, cotangents, sums);
    }
    parallel_ranges(outputs_.channels, 1, [&](int64_t begin, int64_t end) {
      winograd::inverse_transform_windows({outputs_.channels, inputs_.channels},
                                          sums,
                                          sum_matrices(),
                                          begin,
                                          end,
                                          static_cast<float*>(result));
    });
  }

 private:
  static constexpr int64_t kBlock = 256;  // tiles

  Matrices sum_matrices() const { return {outputs_.channels, inputs_.channels}; }

  Matrices input_matrices() const { return {block_, inputs_.channels}; }

  Matrices cotangent_matrices() const { return {block_, outputs_.channels}; }

  void transform_tiles(const void* const* operands,
                       int64_t begin,
                       int64_t end,
                       float* inputs,
                       float* cotangents) const {
    constexpr int64_t kGrain = 8;  // tiles
    parallel_ranges(end - begin, kGrain, [&](int64_t first, int64_t last) {
      const Matrices in = input_matrices();
      const Matrices out = cotangent_matrices();
      winograd::transform_inputs(inputs_,
                                 grid_,
                                 static_cast<const float*>(operands[0]),
                                 begin + first,
                                 begin + last,
                                 inputs + first * in.row_stride(),
                                 in);
      winograd::transform_cotangents(outputs_,
                                     grid_,
                                     static_cast<const float*>(operands[1]),
                                     begin + first,
                                     begin + last,
                                     cotangents + first * out.row_stride(),
                                     out);
    });
  }

  void add_products(
      int64_t tiles, bool adds, const float* inputs, const float* cotangents, float* sums) const {
    const Matrices in = input_matrices();
    const Matrices out = cotangent_matrices();
    const Matrices sum = sum_matrices();
    parallel_for(kPoints, [&](int64_t point) {
      const ThreadCountScope one_thread(1);
      multiply({.m = outputs_.channels,
                .n = inputs_.channels,
                .k = tiles,
                .transposes_lhs = true,
                .adds = adds},
               cotangents + point * out.stride(),
               out.row_stride(),
               inputs + point * in.stride(),
               in.row_stride(),
               sums + point * sum.stride(),
               sum.row_stride());
    });
  }

  Images inputs_;
  Images outputs_;
  Grid grid_;
  int64_t block_;
};

}  // namespace

std::unique_ptr<HostCall> make_winograd(const LibraryOp& op) {
  if (!winograd::is_supported()) return nullptr;
  if (op.op == ir::OpKind::conv_weight_grad) return std::make_unique<WinogradWindows>(op);
  return std::make_unique<WinogradImages>(op);
}

}  // namespace wick::runtime::onednn
