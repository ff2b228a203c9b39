#pragma once

// What calls of Winograd's algorithm have in common. Internal to runtime/onednn/.

#include <algorithm>
#include <functional>
#include <memory>
#include <string_view>

#include "wick/runtime/direct_gemm.h"
#include "wick/runtime/division.h"
#include "wick/runtime/library_call.h"
#include "wick/runtime/parallel.h"
#include "wick/runtime/winograd_tiles.h"

namespace wick::runtime::onednn {

inline constexpr int64_t kAllWindowPoints = winograd::kWindowPoints * winograd::kWindowPoints;

/// Images, or cotangents or gradients of images, of a convolution with windows of this shape.
winograd::Images images_of(const Shape& shape, const Shape& windows);

winograd::Windows windows_of(const Shape& shape);

/// Along both axes.
struct Pair {
  int64_t rows;
  int64_t columns;
};

Pair pair_of(const LibraryOp& op, const char* name, int64_t otherwise);

/// Of a convolution: so many outputs, whose windows begin before the inputs.
winograd::Grid::Axis axis_of_outputs(int64_t extent, int64_t padding);

/// Of small matrices, and under few rows, oneDNN's copies take longer than they save.
void multiply_points(const GemmArgs<float>& args);

/// Some of many channels.
struct Channels {
  int64_t first = 0;
  int64_t count = 0;
};

/// Those of the images, which begin so many elements after theirs.
winograd::Images part_of(winograd::Images images, Channels channels);

int64_t offset_in(const winograd::Images& images, Channels channels);

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
  WinogradCall(const winograd::Grid& grid, int64_t channels, int64_t others, int64_t most_windows)
      : grid_(grid),
        channels_(channels) {
    constexpr int64_t kWindows = 32768;
    part_ = channels_at_once(kWindows, others);
    keeps_inputs_ =
        part_ < channels && 3 * grid.tiles() * tiling().num_values() <= channels * kAllWindowPoints;
    if (!keeps_inputs_ && channels > 2 * part_) part_ = channels_at_once(most_windows, others);
    const int threads = max_threads();
    part_lanes_ = keeps_inputs_ && ceil_div(channels, part_) >= threads ? threads : 1;
  }

  const winograd::Grid& grid() const { return grid_; }

  bool keeps_inputs() const { return keeps_inputs_; }

  /// How many of the tiles are a block, as equal as these can be, with no more values than that.
  int64_t block_of(int64_t most_values) const {
    return ceil_div(grid_.tiles(), ceil_div(grid_.tiles(), most_values / tiling().num_values()));
  }

  int64_t largest_part() const { return std::min(part_, channels_); }

  const winograd::Tiling& tiling() const { return grid_.tiling(); }

  /// Of tiles' values, a row a tile.
  winograd::Matrices values_of(int64_t tiles, int64_t channels) const {
    return {tiling().num_values(), tiles, channels};
  }

  static winograd::Matrices points_of(int64_t rows, int64_t columns) {
    return {kAllWindowPoints, rows, columns};
  }

  /// Of a tile's values, those that are multiplied with a point.
  template <class Body>
  void for_each_value(int64_t point, Body body) const {
    for (int64_t value = 0; value < tiling().num_values(); ++value) {
      if (tiling().window_point(value) == point) body(value);
    }
  }

  /// Threads that go over parts of their own, each with windows of its own, which none of the
  /// others has to fetch then: where there are as many parts, and the values of inputs are there
  /// for all.
  int64_t part_lanes() const { return part_lanes_; }

  /// Calls body(lane, part) for each part, those of a lane one after the other.
  void for_each_part(const std::function<void(int64_t lane, Channels part)>& body) const {
    const int64_t parts = ceil_div(channels_, part_);
    parallel_for(part_lanes_, [&](int64_t lane) {
      for (int64_t i = parts * lane / part_lanes_; i < parts * (lane + 1) / part_lanes_; ++i)
        body(lane, {i * part_, std::min(part_, channels_ - i * part_)});
    });
  }

 private:
  [[nodiscard]] int64_t channels_at_once(int64_t windows, int64_t others) const {
    constexpr int64_t kLine = 16;  // as many as blocks have at most
    const int64_t parts = ceil_div(channels_ * others, windows);
    return ceil_div(ceil_div(channels_, parts), kLine) * kLine;
  }

  winograd::Grid grid_;
  int64_t channels_;
  int64_t part_;
  bool keeps_inputs_;
  int64_t part_lanes_;
};

/// A convolution or the gradient of its inputs.
std::unique_ptr<HostCall> make_winograd_images(const LibraryOp& op,
                                               const winograd::Algorithms& algorithms);

/// The gradient of the windows.
std::unique_ptr<HostCall> make_winograd_windows(const LibraryOp& op,
                                                const winograd::WindowAlgorithm& algorithm);

}  // namespace wick::runtime::onednn
