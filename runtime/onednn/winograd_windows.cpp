// Gradients of the windows of Winograd's convolutions.

#include "wick/runtime/onednn/winograd_call.h"
#include "wick/runtime/parallel.h"

namespace wick::runtime::onednn {
namespace {

using winograd::Grid;
using winograd::Images;
using winograd::Matrices;
using winograd::TileRange;
using winograd::Tiling;
using winograd::WindowAlgorithm;
using winograd::Windows;

/// The gradient of the windows. Blocks of tiles are added one after the other, whatever the number
/// of threads, which share the points.
class WinogradWindows final : public WinogradCall {
 public:
  WinogradWindows(const LibraryOp& op, const WindowAlgorithm& algorithm)
      : WinogradWindows(op,
                        algorithm,
                        images_of(op.operands[1].shape, op.result.shape),
                        pair_of(op, "padding", 0)) {}

  size_t scratch_bytes() const override {
    return static_cast<size_t>(input_values().size() + part_lanes() * values_of_lane()) *
           sizeof(float);
  }

  void run(const void* const* operands, void* result, std::byte* scratch) const override {
    const auto* inputs = static_cast<const float*>(operands[0]);
    auto* const of_inputs = reinterpret_cast<float*>(scratch);
    float* const of_lanes = of_inputs + input_values().size();
    if (keeps_inputs()) transform_inputs(inputs, {0, grid().tiles()}, of_inputs);
    for_each_part([&](int64_t lane, Channels part) {
      const auto* cotangents = static_cast<const float*>(operands[1]) + offset_in(outputs_, part);
      float* const sums = of_lanes + lane * values_of_lane();
      const Values values{of_inputs, sums + sums_of_part(largest_part()).size()};
      for (int64_t begin = 0; begin < grid().tiles(); begin += group_) {
        const TileRange tiles{begin, std::min(grid().tiles(), begin + group_)};
        if (!keeps_inputs()) transform_inputs(inputs, tiles, of_inputs);
        transform_cotangents(part, cotangents, tiles, values.cotangents);
        parallel_for(kAllWindowPoints, [&](int64_t point) {
          const ThreadCountScope one_thread(1);
          add_products(part, point, tiles, values, sums);
        });
      }
      Windows windows = windows_;
      windows.outputs = part.count;
      auto* gradient = static_cast<float*>(result) + part.first * windows.stride;
      parallel_ranges(part.count, 1, [&](int64_t begin, int64_t end) {
        algorithm_.windows(windows, sums, sums_of_part(part.count), begin, end, gradient);
      });
    });
  }

 private:
  static constexpr int64_t kMostWindows = 131072;
  static constexpr int64_t kMostValues = 2304;    // of the tiles of a block
  static constexpr int64_t kBlocksOfThreads = 4;  // between which several threads do not meet
  static constexpr int64_t kGrain = 8;            // tiles

  /// Of a group of tiles, or the inputs' of all.
  struct Values {
    float* inputs;
    float* cotangents;
  };

  WinogradWindows(const LibraryOp& op,
                  const WindowAlgorithm& algorithm,
                  const Images& outputs,
                  Pair padding)
      : WinogradCall(Grid(op.operands[0].shape[0],
                          axis_of_outputs(outputs.height, padding.rows),
                          axis_of_outputs(outputs.width, padding.columns),
                          algorithm.tiling),
                     op.result.shape[0],
                     op.result.shape[1],
                     kMostWindows),
        algorithm_(algorithm),
        inputs_(images_of(op.operands[0].shape, op.result.shape)),
        outputs_(outputs),
        windows_(windows_of(op.result.shape)),
        block_(block_of(kMostValues)),
        group_(std::min(grid().tiles(), meets_others() ? kBlocksOfThreads * block_ : block_)) {}

  bool meets_others() const { return max_threads() > 1 && part_lanes() == 1; }

  Matrices input_values() const {
    return values_of(keeps_inputs() ? grid().tiles() : group_, windows_.inputs);
  }

  int64_t input_row(int64_t tile, TileRange group) const {
    return keeps_inputs() ? tile : tile - group.begin;
  }

  Matrices sums_of_part(int64_t channels) const { return points_of(channels, windows_.inputs); }

  /// The sums of a part, and its cotangents of a group.
  int64_t values_of_lane() const {
    const int64_t of_sums = sums_of_part(largest_part()).size();
    return spaced_scratch(of_sums + values_of(group_, largest_part()).size(), part_lanes());
  }

  void transform_inputs(const float* inputs, TileRange tiles, float* to) const {
    const Matrices in = input_values();
    parallel_ranges(tiles.size(), kGrain, [&](int64_t first, int64_t last) {
      const int64_t begin = tiles.begin + first;
      float* const row = to + input_row(begin, tiles) * in.row_stride();
      algorithm_.inputs(inputs_, grid(), inputs, begin, tiles.begin + last, row, in);
    });
  }

  void transform_cotangents(Channels part,
                            const float* cotangents,
                            TileRange tiles,
                            float* to) const {
    const Matrices out = values_of(group_, part.count);
    const Images outputs = part_of(outputs_, part);
    parallel_ranges(tiles.size(), kGrain, [&](int64_t first, int64_t last) {
      float* const row = to + first * out.row_stride();
      algorithm_.cotangents(
          outputs, grid(), cotangents, tiles.begin + first, tiles.begin + last, row, out);
    });
  }

  /// A block at a time, of all values that belong to the point.
  void add_products(
      Channels part, int64_t point, TileRange group, const Values& values, float* sums) const {
    const Matrices in = input_values();
    const Matrices out = values_of(group_, part.count);
    const Matrices of_sums = sums_of_part(part.count);
    float* of_point = sums + point * of_sums.stride();
    bool has_sums = false;
    for_each_value(point, [&](int64_t value) {
      const TileRange all = grid().tiles_with(value);
      has_sums = has_sums || (all.size() > 0 && all.begin < group.begin);
    });
    for (int64_t begin = group.begin; begin < group.end; begin += block_) {
      for_each_value(point, [&](int64_t value) {
        const TileRange block{begin, std::min(group.end, begin + block_)};
        const TileRange tiles = grid().tiles_with(value).common(block);
        if (tiles.size() == 0) return;
        const int64_t in_row = input_row(tiles.begin, group);
        const int64_t out_row = tiles.begin - group.begin;
        multiply_points(
            {.transpose_lhs = 'T',
             .transpose_rhs = 'N',
             .m = part.count,
             .n = windows_.inputs,
             .k = tiles.size(),
             .lhs = values.cotangents + value * out.stride() + out_row * out.row_stride(),
             .lhs_stride = out.row_stride(),
             .rhs = values.inputs + value * in.stride() + in_row * in.row_stride(),
             .rhs_stride = in.row_stride(),
             .out = of_point,
             .out_stride = of_sums.row_stride(),
             .adds = has_sums});
        has_sums = true;
      });
    }
    const bool is_last = group.end == grid().tiles();
    if (is_last && !has_sums) std::fill_n(of_point, of_sums.stride(), 0.0F);
  }

  const WindowAlgorithm& algorithm_;
  Images inputs_;
  Images outputs_;
  Windows windows_;
  int64_t block_;  // tiles
  int64_t group_;  // tiles that are transformed together
};

}  // namespace

std::unique_ptr<HostCall> make_winograd_windows(const LibraryOp& op,
                                                const WindowAlgorithm& algorithm) {
  return std::make_unique<WinogradWindows>(op, algorithm);
}

}  // namespace wick::runtime::onednn
