#pragma once

// The transforms of Winograd's algorithm for convolutions (Lavin and Gray, "Fast Algorithms for
// Convolutional Neural Networks", 2016), in vectors of channels. A tile of 6x6 inputs becomes 36
// values, a window likewise; their products, summed over channels, become the tile's outputs: 4x4
// for windows of 3x3, where 36 multiplications do what 144 did, and 2x2 for 5x5, 36 for 100.

#include <algorithm>
#include <array>
#include <cstdint>

#include "wick/runtime/division.h"

namespace wick::runtime::winograd {

constexpr int64_t kInputs = 6;  // of a tile, along an axis
constexpr int64_t kPoints = kInputs * kInputs;

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

/// Outputs along an axis, cut in tiles of as many as the algorithm gives, and behind these in tiles
/// of one less where that is enough: the last output of a tile alone needs the last point.
class TileAxis {
 public:
  TileAxis(int64_t extent, int64_t tile)
      : tile_(tile),
        count_(ceil_div(extent, tile)),
        short_(std::min(count_, count_ * tile - extent)) {}

  [[nodiscard]] int64_t count() const { return count_; }

  [[nodiscard]] int64_t long_tiles() const { return count_ - short_; }

  /// The first output of a tile.
  [[nodiscard]] int64_t begin(int64_t tile) const {
    return tile * tile_ - std::max<int64_t>(0, tile - long_tiles());
  }

 private:
  int64_t tile_;  // outputs
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
  struct Padding {  // from the inputs of the first tile to the first row and column
    int64_t rows = 0;
    int64_t columns = 0;
  };

  Grid(int64_t images, int64_t height, int64_t width, int64_t tile, Padding padding);

  [[nodiscard]] int64_t tiles() const { return ends_[3]; }

  [[nodiscard]] Padding padding() const { return padding_; }

  [[nodiscard]] Tile tile(int64_t number) const;

  /// Those that need number `point` of the 36.
  [[nodiscard]] TileRange tiles_of(int64_t point) const;

 private:
  int64_t tile_;  // outputs, along an axis
  TileAxis rows_;
  TileAxis columns_;
  Padding padding_;
  std::array<int64_t, 4> ends_{};  // of the kinds of tiles
};

/// 36 matrices, one for each of the values. Rows and matrices are a line of the cache further apart
/// than they are long: where distances are powers of two, what belongs together would meet in a few
/// lines.
class Matrices {
 public:
  Matrices(int64_t rows, int64_t columns)
      : row_stride_(columns + kGap),
        stride_(rows * row_stride_ + kGap) {}

  // In elements.
  [[nodiscard]] int64_t row_stride() const { return row_stride_; }

  [[nodiscard]] int64_t stride() const { return stride_; }

  [[nodiscard]] int64_t size() const { return kPoints * stride_; }

 private:
  static constexpr int64_t kGap = 16;  // holds the rest of a vector that columns do not fill

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

/// The functions for windows of one size.
struct Transforms {
  int64_t window = 0;
  int64_t outputs = 0;  // of a tile, along an axis

  /// Tiles of inputs, as rows of matrices with a column a channel. Zeros outside of the images.
  TileTransform* inputs;
  /// From such matrices, of outputs, to the images: parts of tiles outside of them are left out.
  TileInverse* inverse_outputs;
  /// Tiles of cotangents of outputs, for the gradient of the windows.
  TileTransform* cotangents;
  /// Rows of matrices with a row an input and a column an output.
  WindowTransform* windows;
  /// The same for the gradient of the inputs: windows turned by half a circle, a row an output and
  /// a column an input.
  WindowTransform* turned_windows;
  /// Rows, outputs, of the windows' gradient, from matrices with a row an output and a column an
  /// input.
  WindowInverse* inverse_windows;
};

/// With vectors of 8 or 16 lanes, for machines that have them; null for windows of other sizes.
template <int64_t kLanes>
const Transforms* find_transforms(int64_t window);

}  // namespace wick::runtime::winograd
