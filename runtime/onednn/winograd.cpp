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

using winograd::Algorithms;
using winograd::Grid;
using winograd::ImageAlgorithm;
using winograd::Images;
using winograd::kWindowPoints;
using winograd::Matrices;
using winograd::TileRange;
using winograd::Tiling;
using winograd::WindowAlgorithm;
using winograd::Windows;

constexpr int64_t kAllWindowPoints = kWindowPoints * kWindowPoints;

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

/// Along both axes.
struct Pair {
  int64_t rows;
  int64_t columns;
};

Pair pair_of(const LibraryOp& op, const char* name, int64_t otherwise) {
  const std::vector<int64_t>& values = op.attributes.integers(name);
  return values.empty() ? Pair{otherwise, otherwise} : Pair{values[0], values[1]};
}

/// Of a convolution: so many outputs, whose windows begin before the inputs.
Grid::Axis axis_of_outputs(int64_t extent, int64_t padding) {
  return {.units = extent, .first_output = 0, .first_input = -padding};
}

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

/// Those of the widest vectors that divide the blocks of the images on both sides.
const Algorithms* algorithms_for(const Images& some,
                                 const Images& others,
                                 int64_t window,
                                 int64_t stride) {
  const auto are_divided = [](const Images& images) {
    return images.block == 1 || images.block % 16 == 0;
  };
  if (vector_lanes() >= 16 && are_divided(some) && are_divided(others))
    return winograd::find_algorithms<16>(window, stride);
  return have_vectors() ? winograd::find_algorithms<8>(window, stride) : nullptr;
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
  /// Of windows of so many channels, which it goes over, and others. The images of the other side,
  /// transformed, stay from part to part where they take no more memory than a third of all
  /// windows would; else there are few parts, of up to `most_windows` where that makes a
  /// difference.
  WinogradCall(const Grid& grid, int64_t channels, int64_t others, int64_t most_windows)
      : grid_(grid),
        channels_(channels) {
    constexpr int64_t kWindows = 32768;
    part_ = channels_at_once(kWindows, others);
    keeps_inputs_ =
        part_ < channels && 3 * grid.tiles() * tiling().num_values() <= channels * kAllWindowPoints;
    if (!keeps_inputs_ && channels > 2 * part_) part_ = channels_at_once(most_windows, others);
  }

  const Grid& grid() const { return grid_; }

  bool keeps_inputs() const { return keeps_inputs_; }

  /// How many of the tiles are a block, as equal as these can be, with no more values than that.
  int64_t block_of(int64_t most_values) const {
    return ceil_div(grid_.tiles(), ceil_div(grid_.tiles(), most_values / tiling().num_values()));
  }

  int64_t largest_part() const { return std::min(part_, channels_); }

  const Tiling& tiling() const { return grid_.tiling(); }

  /// Of tiles' values, a row a tile.
  Matrices values_of(int64_t tiles, int64_t channels) const {
    return {tiling().num_values(), tiles, channels};
  }

  static Matrices points_of(int64_t rows, int64_t columns) {
    return {kAllWindowPoints, rows, columns};
  }

  /// Of a tile's values, those that are multiplied with a point.
  template <class Body>
  void for_each_value(int64_t point, Body body) const {
    for (int64_t value = 0; value < tiling().num_values(); ++value) {
      if (tiling().window_point(value) == point) body(value);
    }
  }

  template <class Body>
  void for_each_part(Body body) const {
    for (int64_t first = 0; first < channels_; first += part_)
      body(Channels{first, std::min(part_, channels_ - first)});
  }

 private:
  [[nodiscard]] int64_t channels_at_once(int64_t windows, int64_t others) const {
    constexpr int64_t kLine = 16;  // as many as blocks have at most
    const int64_t parts = ceil_div(channels_ * others, windows);
    return ceil_div(ceil_div(channels_, parts), kLine) * kLine;
  }

  Grid grid_;
  int64_t channels_;
  int64_t part_;
  bool keeps_inputs_;
};

/// A convolution, or the gradient of its inputs, which is one with turned windows.
class WinogradImages final : public WinogradCall {
 public:
  WinogradImages(const LibraryOp& op, const Algorithms& algorithms)
      : WinogradImages(op,
                       is_gradient(op) ? algorithms.input_gradient : algorithms.convolution,
                       images_of(op.operands[0].shape, op.operands[1].shape),
                       images_of(op.result.shape, op.operands[1].shape)) {}

  size_t scratch_bytes() const override {
    return static_cast<size_t>(windows_of_part(largest_part()).size() +
                               input_blocks() * inputs_of_block().size() +
                               lanes_ * outputs_of_block(largest_part()).size()) *
           sizeof(float);
  }

  void run(const void* const* operands, void* result, std::byte* scratch) const override {
    const auto* from = static_cast<const float*>(operands[0]);
    const auto* windows = static_cast<const float*>(operands[1]);
    auto* to = static_cast<float*>(result);
    auto* transformed = reinterpret_cast<float*>(scratch);
    float* inputs = transformed + windows_of_part(largest_part()).size();
    float* outputs = inputs + input_blocks() * inputs_of_block().size();
    if (keeps_inputs()) {
      parallel_for(num_blocks(), [&](int64_t block) {
        transform_inputs(block, from, inputs + block * inputs_of_block().size());
      });
    }
    for_each_part([&](Channels part) {
      transform_windows(part, windows, transformed);
      parallel_for(lanes_, [&](int64_t lane) {
        const ThreadCountScope one_thread(1);
        for (int64_t block = lane; block < num_blocks(); block += lanes_) {
          const int64_t place = keeps_inputs() ? block : lane;
          float* of_block = inputs + place * inputs_of_block().size();
          if (!keeps_inputs()) transform_inputs(block, from, of_block);
          float* products = outputs + lane * outputs_of_block(part.count).size();
          multiply_block(block, part, of_block, transformed, products);
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
        lanes_(std::min<int64_t>(num_blocks(), max_threads())) {}

  int64_t num_blocks() const { return ceil_div(grid().tiles(), block_); }

  TileRange tiles_of(int64_t block) const {
    return {block * block_, std::min(grid().tiles(), (block + 1) * block_)};
  }

  int64_t input_blocks() const { return keeps_inputs() ? num_blocks() : lanes_; }

  Matrices windows_of_part(int64_t channels) const { return points_of(from_.channels, channels); }

  Matrices inputs_of_block() const { return values_of(block_, from_.channels); }

  Matrices outputs_of_block(int64_t channels) const { return values_of(block_, channels); }

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
      multiply({.transpose_lhs = 'N',
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
  int64_t block_;  // tiles
  int64_t lanes_;  // that walk blocks of tiles, each with scratch of its own
};

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
    return static_cast<size_t>(sums_of_part(largest_part()).size() + input_values().size() +
                               values_of(group_, largest_part()).size()) *
           sizeof(float);
  }

  void run(const void* const* operands, void* result, std::byte* scratch) const override {
    const auto* inputs = static_cast<const float*>(operands[0]);
    auto* sums = reinterpret_cast<float*>(scratch);
    Values values;
    values.inputs = sums + sums_of_part(largest_part()).size();
    values.cotangents = values.inputs + input_values().size();
    for_each_part([&](Channels part) {
      const auto* cotangents = static_cast<const float*>(operands[1]) + offset_in(outputs_, part);
      for (int64_t begin = 0; begin < grid().tiles(); begin += group_) {
        const TileRange tiles{begin, std::min(grid().tiles(), begin + group_)};
        transform(part, inputs, cotangents, tiles, values);
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
        group_(std::min(grid().tiles(), max_threads() > 1 ? kBlocksOfThreads * block_ : block_)) {}

  Matrices input_values() const {
    return values_of(keeps_inputs() ? grid().tiles() : group_, windows_.inputs);
  }

  int64_t input_row(int64_t tile, TileRange group) const {
    return keeps_inputs() ? tile : tile - group.begin;
  }

  Matrices sums_of_part(int64_t channels) const { return points_of(channels, windows_.inputs); }

  void transform(Channels part,
                 const float* inputs,
                 const float* cotangents,
                 TileRange tiles,
                 const Values& values) const {
    constexpr int64_t kGrain = 8;
    const Matrices in = input_values();
    const Matrices out = values_of(group_, part.count);
    const Images outputs = part_of(outputs_, part);
    parallel_ranges(tiles.size(), kGrain, [&](int64_t first, int64_t last) {
      const int64_t begin = tiles.begin + first;
      const int64_t end = tiles.begin + last;
      if (part.first == 0 || !keeps_inputs()) {
        float* to = values.inputs + input_row(begin, tiles) * in.row_stride();
        algorithm_.inputs(inputs_, grid(), inputs, begin, end, to, in);
      }
      float* to = values.cotangents + first * out.row_stride();
      algorithm_.cotangents(outputs, grid(), cotangents, begin, end, to, out);
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
        multiply({.transpose_lhs = 'T',
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

std::unique_ptr<HostCall> make_winograd(const LibraryOp& op) {
  const bool is_of_windows = op.op == ir::OpKind::conv_weight_grad;
  const Shape& windows = is_of_windows ? op.result.shape : op.operands[1].shape;
  const Shape& outputs = is_of_windows ? op.operands[1].shape : op.result.shape;
  const Pair stride = pair_of(op, "stride", 1);
  if (stride.rows != stride.columns) return nullptr;
  const Algorithms* algorithms = algorithms_for(images_of(op.operands[0].shape, windows),
                                                images_of(outputs, windows),
                                                windows[2],
                                                stride.rows);
  if (algorithms == nullptr) return nullptr;
  if (is_of_windows) return std::make_unique<WinogradWindows>(op, algorithms->window_gradient);
  return std::make_unique<WinogradImages>(op, *algorithms);
}

}  // namespace wick::runtime::onednn
