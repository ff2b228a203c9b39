// Winograd's convolutions, and the gradients of their inputs.

#include "wick/runtime/onednn/winograd_call.h"
#include "wick/runtime/parallel.h"

namespace wick::runtime::onednn {
namespace {

using winograd::Algorithms;
using winograd::Grid;
using winograd::ImageAlgorithm;
using winograd::Images;
using winograd::Matrices;
using winograd::TileRange;
using winograd::Tiling;
using winograd::Windows;

/// Of the inputs' gradient. With a stride of 2 a unit are two results, of which the middle tap
/// gives the first: it begins there, or one before.
Grid::Axis axis_of_gradients(int64_t extent, int64_t padding, int64_t window, int64_t stride) {
  if (stride == 1)
    return {.units = extent, .first_output = 0, .first_input = padding - (window - 1)};
  const int64_t before = padding % 2 == 0 ? 1 : 0;
  return {.units = ceil_div(extent + before, 2),
          .first_output = -before,
          .first_input = (padding - before - 1) / 2};
}

/// A convolution, or the gradient of its inputs, which is one with turned windows.
class WinogradImages final : public WinogradCall {
 public:
  WinogradImages(const LibraryOp& op, const Algorithms& algorithms)
      : WinogradImages(op,
                       is_gradient(op) ? algorithms.input_gradient : algorithms.convolution,
                       images_of(op.operands[0].shape, op.operands[1].shape),
                       images_of(op.result.shape, op.operands[1].shape)) {}

  size_t scratch_bytes() const override {
    return static_cast<size_t>(part_lanes() * window_elements() +
                               input_blocks() * input_elements() + lanes() * output_elements()) *
           sizeof(float);
  }

  void run(const void* const* operands, void* result, std::byte* scratch) const override {
    const auto* from = static_cast<const float*>(operands[0]);
    const auto* windows = static_cast<const float*>(operands[1]);
    auto* to = static_cast<float*>(result);
    auto* transformed = reinterpret_cast<float*>(scratch);
    float* inputs = transformed + part_lanes() * window_elements();
    float* outputs = inputs + input_blocks() * input_elements();
    if (keeps_inputs()) {
      parallel_for(num_blocks(), [&](int64_t block) {
        transform_inputs(block, from, inputs + block * input_elements());
      });
    }
    for_each_part([&](int64_t part_lane, Channels part) {
      float* of_part = transformed + part_lane * window_elements();
      transform_windows(part, windows, of_part);
      parallel_for(block_lanes_, [&](int64_t block_lane) {
        const ThreadCountScope one_thread(1);
        const int64_t lane = part_lane + block_lane;  // one of them is 0
        float* products = outputs + lane * output_elements();
        const int64_t last = num_blocks() * (block_lane + 1) / block_lanes_;
        for (int64_t block = num_blocks() * block_lane / block_lanes_; block < last; ++block) {
          const int64_t place = keeps_inputs() ? block : block_lane;
          float* of_block = inputs + place * input_elements();
          if (!keeps_inputs()) transform_inputs(block, from, of_block);
          multiply_block(block, part, of_block, of_part, products);
          const auto [begin, end] = tiles_of(block);
          algorithm_.outputs(part_of(to_, part),
                             grid(),
                             products,
                             outputs_of_block(part.count),
                             begin,
                             end,
                             to + offset_in(to_, part));
        }
      });
    });
  }

 private:
  static constexpr int64_t kMostWindows = 65536;
  static constexpr int64_t kMostValues = 972;  // of the tiles of a block

  static bool is_gradient(const LibraryOp& op) { return op.op == ir::OpKind::conv_input_grad; }

  static Grid grid_of(const LibraryOp& op, const Tiling& tiling, const Images& to) {
    const int64_t window = op.operands[1].shape[2];
    const auto axis = [&](int64_t extent, int64_t padding) {
      return is_gradient(op) ? axis_of_gradients(extent, padding, window, tiling.outputs)
                             : axis_of_outputs(extent, padding);
    };
    const Pair padding = pair_of(op, "padding", 0);
    return {
        op.result.shape[0], axis(to.height, padding.rows), axis(to.width, padding.columns), tiling};
  }

  WinogradImages(const LibraryOp& op,
                 const ImageAlgorithm& algorithm,
                 const Images& from,
                 const Images& to)
      : WinogradCall(grid_of(op, algorithm.tiling, to), to.channels, from.channels, kMostWindows),
        algorithm_(algorithm),
        is_gradient_(is_gradient(op)),
        from_(from),
        to_(to),
        windows_(windows_of(op.operands[1].shape)),
        block_(block_of(kMostValues)),
        block_lanes_(part_lanes() > 1 ? 1 : std::min<int64_t>(num_blocks(), max_threads())) {}

  int64_t lanes() const { return std::max(part_lanes(), block_lanes_); }

  int64_t num_blocks() const { return ceil_div(grid().tiles(), block_); }

  TileRange tiles_of(int64_t block) const {
    return {block * block_, std::min(grid().tiles(), (block + 1) * block_)};
  }

  int64_t input_blocks() const { return keeps_inputs() ? num_blocks() : block_lanes_; }

  Matrices windows_of_part(int64_t channels) const { return points_of(from_.channels, channels); }

  Matrices inputs_of_block() const { return values_of(block_, from_.channels); }

  Matrices outputs_of_block(int64_t channels) const { return values_of(block_, channels); }

  /// Of scratch: of the windows of a part, the inputs of a block, which have threads of their own
  /// where they do not stay, and the outputs of a lane.
  int64_t window_elements() const {
    return spaced_scratch(windows_of_part(largest_part()).size(), part_lanes());
  }

  int64_t input_elements() const {
    return spaced_scratch(inputs_of_block().size(), keeps_inputs() ? 1 : block_lanes_);
  }

  int64_t output_elements() const {
    return spaced_scratch(outputs_of_block(largest_part()).size(), lanes());
  }

  void transform_inputs(int64_t block, const float* from, float* to) const {
    const auto [begin, end] = tiles_of(block);
    algorithm_.inputs(from_, grid(), from, begin, end, to, inputs_of_block());
  }

  void transform_windows(Channels part, const float* from, float* to) const {
    constexpr int64_t kGrain = 4096;  // windows
    const Matrices layout = windows_of_part(part.count);
    const int64_t grain = std::max<int64_t>(1, kGrain / part.count);
    parallel_ranges(from_.channels, grain, [&](int64_t begin, int64_t end) {
      Windows windows = windows_;
      (is_gradient_ ? windows.inputs : windows.outputs) = part.count;
      const int64_t step = is_gradient_ ? windows_.stride / windows_.inputs : windows_.stride;
      algorithm_.windows(windows, from + part.first * step, begin, end, to, layout);
    });
  }

  void multiply_block(int64_t block,
                      Channels part,
                      const float* inputs,
                      const float* windows,
                      float* outputs) const {
    const TileRange all = tiles_of(block);
    const Matrices in = inputs_of_block();
    const Matrices of_windows = windows_of_part(part.count);
    const Matrices out = outputs_of_block(part.count);
    for (int64_t value = 0; value < tiling().num_values(); ++value) {
      const TileRange tiles = grid().tiles_with(value).common(all);
      if (tiles.size() == 0) continue;
      const int64_t row = tiles.begin - all.begin;
      multiply_points({.transpose_lhs = 'N',
                       .transpose_rhs = 'N',
                       .m = tiles.size(),
                       .n = part.count,
                       .k = from_.channels,
                       .lhs = inputs + value * in.stride() + row * in.row_stride(),
                       .lhs_stride = in.row_stride(),
                       .rhs = windows + tiling().window_point(value) * of_windows.stride(),
                       .rhs_stride = of_windows.row_stride(),
                       .out = outputs + value * out.stride() + row * out.row_stride(),
                       .out_stride = out.row_stride()});
    }
  }

  const ImageAlgorithm& algorithm_;
  bool is_gradient_;
  Images from_;
  Images to_;
  Windows windows_;
  int64_t block_;        // tiles
  int64_t block_lanes_;  // that walk blocks of tiles, each with scratch of its own
};

}  // namespace

std::unique_ptr<HostCall> make_winograd_images(const LibraryOp& op, const Algorithms& algorithms) {
  return std::make_unique<WinogradImages>(op, algorithms);
}

}  // namespace wick::runtime::onednn
