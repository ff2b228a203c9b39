#pragma once

// The transforms of Winograd's algorithm for convolutions (Lavin and Gray, "Fast Algorithms for
// Convolutional Neural Networks", 2016), in vectors of channels. A tile of 6x6 inputs becomes 36
// values, a window likewise; their products, summed over channels, become the tile's outputs: 4x4
// for windows of 3x3, where 36 multiplications do what 144 did, and 2x2 for 5x5, 36 for 100.
//
// With a stride of 2, the first and last of three taps meet every other input, and are an algorithm
// for windows of 2; the tap between meets the others, each of which is multiplied as it is. A tile
// of 9x9 inputs becomes 81 values, of which 36 points of a window are multiplied with one or
// several each, and these 4x4 outputs: 81 multiplications for 144.

#include <algorithm>
#include <array>
#include <cstdint>

#include "wick/runtime/division.h"

namespace wick::runtime::winograd {

constexpr int64_t kWindowPoints = 6;  // along an axis

/// Values that tiles become along an axis.
struct Points {
  std::array<int64_t, 9> of_window;  // the point of the window that each is multiplied with
  int64_t count;
  int64_t in_short;  // so many, the first, matter in tiles that are shorter by a unit
};

/// How an algorithm cuts images along an axis: in units, each of so many outputs, whose inputs
/// begin so many further on than those of the unit before.
struct Tiling {
  int64_t units;  // of a tile
  int64_t outputs;
  int64_t inputs;
  Points points;

  [[nodiscard]] int64_t num_values() const { return points.count * points.count; }

  /// The point of windows, of 36, that a tile's value is multiplied with.
  [[nodiscard]] int64_t window_point(int64_t value) const {
    const auto of = [&](int64_t i) { return points.of_window[static_cast<size_t>(i)]; };
    return of(value / points.count) * kWindowPoints + of(value % points.count);
  }
};

/// [n,channels,height,width], or with channels in blocks, which vectors divide. Perhaps some
/// channels of many, which do not cut blocks.
struct Images {
  int64_t channels = 0;
  int64_t height = 0;
  int64_t width = 0;
  int64_t block = 1;   // channels in one
  int64_t stride = 0;  // elements from image to image

  [[nodiscard]] int64_t plane() const { return height * width; }
};

/// Units along an axis, cut in tiles of as many as the algorithm gives, and behind these in tiles
/// of one less where that is enough: the last unit of a tile alone needs the last points.
class TileAxis {
 public:
  TileAxis(int64_t extent, int64_t tile)
      : tile_(tile),
        count_(ceil_div(extent, tile)),
        short_(std::min(count_, count_ * tile - extent)) {}

  [[nodiscard]] int64_t count() const { return count_; }

  [[nodiscard]] int64_t long_tiles() const { return count_ - short_; }

  /// The first unit of a tile.
  [[nodiscard]] int64_t begin(int64_t tile) const {
    return tile * tile_ - std::max<int64_t>(0, tile - long_tiles());
  }

 private:
  int64_t tile_;  // units
  int64_t count_;
  int64_t short_;
};

/// Where a square of an image lies, perhaps in part outside of it, and how much of it counts.
struct Square {
  int64_t row;
  int64_t column;
  int64_t height;
  int64_t width;
};

struct Tile {
  int64_t image;
  Square outputs;
  int64_t input_row;
  int64_t input_column;
};

struct TileRange {
  int64_t begin;
  int64_t end;

  [[nodiscard]] int64_t size() const { return std::max<int64_t>(0, end - begin); }

  [[nodiscard]] TileRange common(TileRange other) const {
    return {std::max(begin, other.begin), std::min(end, other.end)};
  }
};

/// Tiles of all images. Their outputs are adjacent, their inputs overlap. Numbered so that those
/// that need a point follow each other: first the long rows of tiles, their short columns before
/// the long ones, and then the short rows, their long columns first.
class Grid {
 public:
  /// Rows or columns.
  struct Axis {
    int64_t units = 0;
    int64_t first_output = 0;  // of the first unit, perhaps before all
    int64_t first_input = 0;
  };

  Grid(int64_t images, const Axis& rows, const Axis& columns, const Tiling& tiling);

  [[nodiscard]] const Tiling& tiling() const { return tiling_; }

  [[nodiscard]] int64_t tiles() const { return ends_[3]; }

  [[nodiscard]] Tile tile(int64_t number) const;

  /// Those that have the number `value` of their values.
  [[nodiscard]] TileRange tiles_with(int64_t value) const;

 private:
  Tiling tiling_;
  Axis rows_;
  Axis columns_;
  TileAxis row_tiles_;
  TileAxis column_tiles_;
  std::array<int64_t, 4> ends_{};  // of the kinds of tiles
};

/// Matrices, one for each of the values or points. Rows and matrices are a line of the cache
/// further apart than they are long: where distances are powers of two, what belongs together would
/// meet in a few lines.
class Matrices {
 public:
  Matrices(int64_t count, int64_t rows, int64_t columns)
      : count_(count),
        row_stride_(columns + kGap),
        stride_(rows * row_stride_ + kGap) {}

  // In elements.
  [[nodiscard]] int64_t row_stride() const { return row_stride_; }

  [[nodiscard]] int64_t stride() const { return stride_; }

  [[nodiscard]] int64_t size() const { return count_ * stride_; }

 private:
  static constexpr int64_t kGap = 16;  // holds the rest of a vector that columns do not fill

  int64_t count_;
  int64_t row_stride_;
  int64_t stride_;
};

/// Windows [outputs,inputs,size,size]. Perhaps those of some inputs of many.
struct Windows {
  int64_t outputs = 0;
  int64_t inputs = 0;
  int64_t stride = 0;  // elements from output to output
};

// Of tiles or rows [begin, end).
using TileTransform = void(const Images& images,
                           const Grid& grid,
                           const float* data,
                           int64_t begin,
                           int64_t end,
                           float* matrices,
                           const Matrices& layout);
using TileInverse = void(const Images& images,
                         const Grid& grid,
                         const float* matrices,
                         const Matrices& layout,
                         int64_t begin,
                         int64_t end,
                         float* data);
using WindowTransform = void(const Windows& windows,
                             const float* data,
                             int64_t begin,
                             int64_t end,
                             float* matrices,
                             const Matrices& layout);
using WindowInverse = void(const Windows& windows,
                           const float* matrices,
                           const Matrices& layout,
                           int64_t begin,
                           int64_t end,
                           float* data);

/// A convolution, or the gradient of its inputs, whose inputs are cotangents.
struct ImageAlgorithm {
  Tiling tiling;
  /// Tiles of inputs, as rows of matrices with a column a channel. Zeros outside of the images.
  TileTransform* inputs;
  /// Rows of matrices with a row an input channel and a column an output channel.
  WindowTransform* windows;
  /// From matrices as of inputs to the images: parts of tiles outside of them are left out.
  TileInverse* outputs;
};

/// The gradient of the windows.
struct WindowAlgorithm {
  Tiling tiling;
  TileTransform* inputs;
  TileTransform* cotangents;
  /// Rows, outputs, of the gradient, from matrices with a row an output and a column an input.
  WindowInverse* windows;
};

/// Of convolutions with windows of one size and stride. The rows of `input_gradient.windows` are
/// outputs of the convolution.
struct Algorithms {
  ImageAlgorithm convolution;
  ImageAlgorithm input_gradient;
  WindowAlgorithm window_gradient;
};

/// With vectors of 8 or 16 lanes, for machines that have them. Null but for windows of 3x3 and 5x5
/// with a stride of 1, and of 3x3 with 2.
template <int64_t kLanes>
const Algorithms* find_algorithms(int64_t window, int64_t stride);

}  // namespace wick::runtime::winograd
