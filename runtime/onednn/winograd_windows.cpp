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

/// The gradient of the windows. Blocks of tiles are added one after the other, and of few windows
/// the sums of several chunks of them, whatever the number of threads, which share the points or,
/// where they are no more than chunks, these: points take what other cores have transformed, and of
/// [64,32,32,32] with 32 channels two threads took 6.3 ms, as long as one, and chunks take 3.7.
class WinogradWindows final : public WinogradCall {
 public:
  WinogradWindows(const LibraryOp& op, const WindowAlgorithm& algorithm)
      : WinogradWindows(op,
                        algorithm,
                        images_of(op.operands[1].shape, op.result.shape),
                        pair_of(op, "padding", 0)) {}

  size_t scratch_bytes() const override {
    const int64_t floats = chunks_ > 1 ? chunks_ * sum_elements() + chunk_lanes_ * block_elements()
                                       : input_values().size() + part_lanes() * values_of_lane();
    return static_cast<size_t>(floats) * sizeof(float);
  }

  void run(const void* const* operands, void* result, std::byte* scratch) const override {
    if (chunks_ > 1) return add_chunks(operands, result, reinterpret_cast<float*>(scratch));
    auto* const of_inputs = reinterpret_cast<float*>(scratch);
    float* const of_lanes = of_inputs + input_values().size();
    if (keeps_inputs())
      transform_inputs(static_cast<const float*>(operands[0]), {0, grid().tiles()}, of_inputs);
    for_each_part([&](int64_t lane, Channels part) {
      float* const sums = of_lanes + lane * values_of_lane();
      const Values values{of_inputs, sums + sums_of_part(largest_part()).size()};
      add_tiles({0, grid().tiles()}, part, operands, values, sums);
      transform_windows(part, sums, static_cast<float*>(result));
    });
  }

 private:
  static constexpr int64_t kMostWindows = 131072;
  static constexpr int64_t kMostValues = 2304;    // of the tiles of a block
  static constexpr int64_t kBlocksOfThreads = 4;  // between which several threads do not meet
  static constexpr int64_t kMostChunks = 4;
  static constexpr int64_t kGrain = 8;  // tiles

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
        chunks_(choose_chunks()),
        chunk_lanes_(max_threads() <= chunks_ ? max_threads() : 1),
        group_(std::min(grid().tiles(), meets_others() ? kBlocksOfThreads * block_ : block_)) {}

  /// As the shape has it, so that sums are the same for any number of threads: as many as have
  /// several blocks each and sums that caches hold.
  int64_t choose_chunks() const {
    constexpr int64_t kMostSums = 1 << 20;  // of all chunks
    constexpr int64_t kFewestBlocks = 4;
    if (largest_part() < windows_.outputs) return 1;
    const int64_t sums = sums_of_part(largest_part()).size();
    const int64_t blocks = ceil_div(grid().tiles(), block_);
    return std::clamp<int64_t>(std::min(kMostSums / sums, blocks / kFewestBlocks), 1, kMostChunks);
  }

  TileRange chunk(int64_t number) const {
    return {grid().tiles() * number / chunks_, grid().tiles() * (number + 1) / chunks_};
  }

  /// Of scratch: of the sums of a chunk, and of a block of tiles of a thread.
  int64_t sum_elements() const {
    return spaced_scratch(sums_of_part(largest_part()).size(), chunk_lanes_);
  }

  int64_t block_elements() const {
    return spaced_scratch(input_values().size() + values_of(group_, largest_part()).size(),
                          chunk_lanes_);
  }

  /// The sums of these tiles, group by group.
  void add_tiles(TileRange chunk,
                 Channels part,
                 const void* const* operands,
                 const Values& values,
                 float* sums) const {
    const auto* inputs = static_cast<const float*>(operands[0]);
    const auto* cotangents = static_cast<const float*>(operands[1]) + offset_in(outputs_, part);
    for (int64_t begin = chunk.begin; begin < chunk.end; begin += group_) {
      const TileRange tiles{begin, std::min(chunk.end, begin + group_)};
      if (!keeps_inputs()) transform_inputs(inputs, tiles, values.inputs);
      transform_cotangents(part, cotangents, tiles, values.cotangents);
      parallel_for(kAllWindowPoints, [&](int64_t point) {
        const ThreadCountScope one_thread(1);
        add_products(part, point, tiles, chunk, values, sums);
      });
    }
  }

  void add_chunks(const void* const* operands, void* result, float* scratch) const {
    const Channels all{0, windows_.outputs};
    float* const blocks = scratch + chunks_ * sum_elements();
    parallel_for(chunk_lanes_, [&](int64_t lane) {
      float* const of_inputs = blocks + lane * block_elements();
      const Values values{of_inputs, of_inputs + input_values().size()};
      const int64_t last = chunks_ * (lane + 1) / chunk_lanes_;
      for (int64_t i = chunks_ * lane / chunk_lanes_; i < last; ++i) {
        add_tiles(chunk(i), all, operands, values, scratch + i * sum_elements());
      }
    });
    constexpr int64_t kGrainOfSums = 16384;
    parallel_ranges(sums_of_part(all.count).size(), kGrainOfSums, [&](int64_t begin, int64_t end) {
      for (int64_t i = 1; i < chunks_; ++i) {
        const float* const sums = scratch + i * sum_elements();
        for (int64_t at = begin; at < end; ++at)
          scratch[at] += sums[at];
      }
    });
    transform_windows(all, scratch, static_cast<float*>(result));
  }

  void transform_windows(Channels part, const float* sums, float* result) const {
    Windows windows = windows_;
    windows.outputs = part.count;
    float* const gradient = result + part.first * windows.stride;
    parallel_ranges(part.count, 1, [&](int64_t begin, int64_t end) {
      algorithm_.windows(windows, sums, sums_of_part(part.count), begin, end, gradient);
    });
  }

  bool meets_others() const { return max_threads() > 1 && part_lanes() == 1 && chunk_lanes_ == 1; }

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
  void add_products(Channels part,
                    int64_t point,
                    TileRange group,
                    TileRange chunk,
                    const Values& values,
                    float* sums) const {
    const Matrices in = input_values();
    const Matrices out = values_of(group_, part.count);
    const Matrices of_sums = sums_of_part(part.count);
    float* of_point = sums + point * of_sums.stride();
    bool has_sums = false;
    for_each_value(point, [&](int64_t value) {
      const TileRange before = grid().tiles_with(value).common({chunk.begin, group.begin});
      has_sums = has_sums || before.size() > 0;
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
    const bool is_last = group.end == chunk.end;
    if (is_last && !has_sums) std::fill_n(of_point, of_sums.stride(), 0.0F);
  }

  const WindowAlgorithm& algorithm_;
  Images inputs_;
  Images outputs_;
  Windows windows_;
  int64_t block_;        // tiles
  int64_t chunks_;       // of tiles, each with sums of its own
  int64_t chunk_lanes_;  // threads that go over chunks of their own
  int64_t group_;        // tiles that are transformed together
};

}  // namespace

std::unique_ptr<HostCall> make_winograd_windows(const LibraryOp& op,
                                                const WindowAlgorithm& algorithm) {
  return std::make_unique<WinogradWindows>(op, algorithm);
}

}  // namespace wick::runtime::onednn
