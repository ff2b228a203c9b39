// The points are 0, 5/8, -5/8, 3/2, -3/2 and infinity: squares are exact, and errors are half those
// of the usual 0, 1, -1, 2, -2. With B, G and A the matrices of the algorithm, transposed where a
// name says so: outputs are A^T [(G w G^T) * (B^T x B)] A, and the windows' gradient, by the chain
// rule, is G^T [(B^T x B) * (A y A^T)] G.

#include "wick/runtime/winograd_tiles.h"

#include <algorithm>

#if defined(__x86_64__)
#define WICK_VECTORS [[gnu::target("avx2,fma")]]
#else
#define WICK_VECTORS
#endif
#define WICK_INLINE_VECTORS WICK_VECTORS [[gnu::always_inline]] inline

namespace wick::runtime::winograd {
namespace {

using Lanes [[gnu::vector_size(kLanes * sizeof(float))]] = float;
using UnalignedLanes [[gnu::vector_size(kLanes * sizeof(float)), gnu::aligned(sizeof(float))]] =
    float;

constexpr float kA = 0.625F;
constexpr float kB = 1.5F;
constexpr float kAA = kA * kA;
constexpr float kBB = kB * kB;

WICK_INLINE_VECTORS Lanes load(const float* from) {
  return *reinterpret_cast<const UnalignedLanes*>(from);
}

WICK_INLINE_VECTORS void store(float* to, Lanes value) {
  *reinterpret_cast<UnalignedLanes*>(to) = value;
}

/// B^T: row j has the coefficients of the product of all x - p but that of point j.
struct InputTransform {
  static constexpr int64_t kIn = kInputs;
  static constexpr int64_t kOut = kInputs;

  WICK_INLINE_VECTORS static void apply(const Lanes* in, Lanes* out) {
    const Lanes even_a = in[4] - kBB * in[2];
    const Lanes odd_a = in[3] - kBB * in[1];
    const Lanes even_b = in[4] - kAA * in[2];
    const Lanes odd_b = in[3] - kAA * in[1];
    out[0] = even_b - kBB * (in[2] - kAA * in[0]);
    out[1] = even_a + kA * odd_a;
    out[2] = even_a - kA * odd_a;
    out[3] = even_b + kB * odd_b;
    out[4] = even_b - kB * odd_b;
    out[5] = in[5] - kAA * in[3] - kBB * odd_b;
  }
};

/// A^T: row i has the points to the power of i.
struct OutputTransform {
  static constexpr int64_t kIn = kInputs;
  static constexpr int64_t kOut = kOutputs;

  WICK_INLINE_VECTORS static void apply(const Lanes* in, Lanes* out) {
    const Lanes sum_a = in[1] + in[2];
    const Lanes sum_b = in[3] + in[4];
    const Lanes difference_a = kA * (in[1] - in[2]);
    const Lanes difference_b = kB * (in[3] - in[4]);
    out[0] = in[0] + sum_a + sum_b;
    out[1] = difference_a + difference_b;
    out[2] = kAA * sum_a + kBB * sum_b;
    out[3] = in[5] + kAA * difference_a + kBB * difference_b;
  }
};

/// A
struct CotangentTransform {
  static constexpr int64_t kIn = kOutputs;
  static constexpr int64_t kOut = kInputs;

  WICK_INLINE_VECTORS static void apply(const Lanes* in, Lanes* out) {
    const Lanes even_a = in[0] + kAA * in[2];
    const Lanes odd_a = in[1] + kAA * in[3];
    const Lanes even_b = in[0] + kBB * in[2];
    const Lanes odd_b = in[1] + kBB * in[3];
    out[0] = in[0];
    out[1] = even_a + kA * odd_a;
    out[2] = even_a - kA * odd_a;
    out[3] = even_b + kB * odd_b;
    out[4] = even_b - kB * odd_b;
    out[5] = in[3];
  }
};

// What G divides the powers of a point by: the product of its differences to the other points.
constexpr float kAtZero = 1 / (kAA * kBB);
constexpr float kAtA = 1 / (2 * kAA * (kAA - kBB));
constexpr float kAtB = 1 / (2 * kBB * (kBB - kAA));

/// G
struct WindowTransform {
  static constexpr int64_t kIn = kWindow;
  static constexpr int64_t kOut = kInputs;

  WICK_INLINE_VECTORS static void apply(const Lanes* in, Lanes* out) {
    const Lanes even_a = kAtA * in[0] + kAtA * kAA * in[2];
    const Lanes odd_a = kAtA * kA * in[1];
    const Lanes even_b = kAtB * in[0] + kAtB * kBB * in[2];
    const Lanes odd_b = kAtB * kB * in[1];
    out[0] = kAtZero * in[0];
    out[1] = even_a + odd_a;
    out[2] = even_a - odd_a;
    out[3] = even_b + odd_b;
    out[4] = even_b - odd_b;
    out[5] = in[2];
  }
};

/// G^T
struct WindowGradientTransform {
  static constexpr int64_t kIn = kInputs;
  static constexpr int64_t kOut = kWindow;

  WICK_INLINE_VECTORS static void apply(const Lanes* in, Lanes* out) {
    const Lanes sum_a = kAtA * (in[1] + in[2]);
    const Lanes sum_b = kAtB * (in[3] + in[4]);
    const Lanes difference_a = in[1] - in[2];
    const Lanes difference_b = in[3] - in[4];
    out[0] = kAtZero * in[0] + sum_a + sum_b;
    out[1] = kAtA * kA * difference_a + kAtB * kB * difference_b;
    out[2] = in[5] + kAA * sum_a + kBB * sum_b;
  }
};

/// Where the vectors of a square lie.
struct Place {
  int64_t row_stride;
  int64_t column_stride;
};

/// M x M^T for the matrix M of a transform.
template <class Transform>
WICK_INLINE_VECTORS void transform_square(const float* from,
                                          Place from_place,
                                          float* to,
                                          Place to_place) {
  Lanes half[Transform::kOut][Transform::kIn];
  for (int64_t column = 0; column < Transform::kIn; ++column) {
    Lanes in[Transform::kIn];
    Lanes out[Transform::kOut];
    for (int64_t row = 0; row < Transform::kIn; ++row)
      in[row] = load(from + row * from_place.row_stride + column * from_place.column_stride);
    Transform::apply(in, out);
    for (int64_t row = 0; row < Transform::kOut; ++row)
      half[row][column] = out[row];
  }
  for (int64_t row = 0; row < Transform::kOut; ++row) {
    Lanes out[Transform::kOut];
    Transform::apply(half[row], out);
    for (int64_t column = 0; column < Transform::kOut; ++column)
      store(to + row * to_place.row_stride + column * to_place.column_stride, out[column]);
  }
}

/// A square of 8 channels, dense.
template <int64_t kSize>
struct Patch {
  alignas(32) float data[kSize * kSize * kLanes];
  static constexpr Place kPlace{kSize * kLanes, kLanes};
};

/// Where a square of an image lies, perhaps in part outside of it.
struct Square {
  int64_t row;
  int64_t column;
};

Square square_of(const Grid& grid, int64_t tile) {
  return {tile / grid.columns % grid.rows * kOutputs, tile % grid.columns * kOutputs};
}

bool is_inside(const Images& images, Square at, int64_t size) {
  return at.row >= 0 && at.column >= 0 && at.row + size <= images.height &&
         at.column + size <= images.width;
}

/// The first element of a channel of an image.
int64_t plane_of(const Images& images, int64_t image, int64_t channel) {
  const int64_t in_block = channel % images.block;
  return image * images.stride + (channel - in_block) * images.plane() + in_block;
}

int64_t channel_step(const Images& images) {
  return images.block > 1 ? 1 : images.plane();
}

int64_t lanes_from(int64_t channel, int64_t channels) {
  return std::min(kLanes, channels - channel);
}

template <int64_t kSize>
void gather(
    const Images& images, const float* plane, Square at, int64_t lanes, Patch<kSize>& patch) {
  const int64_t step = channel_step(images);
  float* to = patch.data;
  for (int64_t row = at.row; row < at.row + kSize; ++row) {
    for (int64_t column = at.column; column < at.column + kSize; ++column, to += kLanes) {
      const bool is_in = row >= 0 && row < images.height && column >= 0 && column < images.width;
      const float* from = plane + (row * images.width + column) * images.block;
      for (int64_t lane = 0; lane < kLanes; ++lane)
        to[lane] = is_in && lane < lanes ? from[lane * step] : 0;
    }
  }
}

void scatter(
    const Images& images, const Patch<kOutputs>& patch, Square at, int64_t lanes, float* plane) {
  const int64_t step = channel_step(images);
  const int64_t rows = std::min(kOutputs, images.height - at.row);
  const int64_t columns = std::min(kOutputs, images.width - at.column);
  for (int64_t row = 0; row < rows; ++row) {
    for (int64_t column = 0; column < columns; ++column) {
      const float* from = patch.data + (row * kOutputs + column) * kLanes;
      const int64_t pixel = (at.row + row) * images.width + at.column + column;
      for (int64_t lane = 0; lane < lanes; ++lane)
        plane[pixel * images.block + lane * step] = from[lane];
    }
  }
}

Place place_of(const Images& images) {
  return {images.width * images.block, images.block};
}

Place place_of(const Matrices& layout) {
  return {kInputs * layout.stride(), layout.stride()};
}

/// Squares of Transform::kIn whose first element is `padding` before that of their tile's outputs.
template <class Transform>
WICK_VECTORS void transform_tiles(const Images& images,
                                  const Grid& grid,
                                  Square padding,
                                  const float* data,
                                  int64_t begin,
                                  int64_t end,
                                  float* matrices,
                                  const Matrices& layout) {
  Patch<Transform::kIn> patch;
  for (int64_t tile = begin; tile < end; ++tile) {
    Square at = square_of(grid, tile);
    at.row -= padding.row;
    at.column -= padding.column;
    const bool is_direct = images.block > 1 && is_inside(images, at, Transform::kIn);
    const int64_t image = tile / (grid.rows * grid.columns);
    for (int64_t channel = 0; channel < images.channels; channel += kLanes) {
      const float* plane = data + plane_of(images, image, channel);
      float* to = matrices + (tile - begin) * layout.row_stride() + channel;
      if (is_direct) {
        const float* from = plane + (at.row * images.width + at.column) * images.block;
        transform_square<Transform>(from, place_of(images), to, place_of(layout));
      } else {
        gather(images, plane, at, lanes_from(channel, images.channels), patch);
        transform_square<Transform>(patch.data, patch.kPlace, to, place_of(layout));
      }
    }
  }
}

using Window = Patch<kWindow>;

/// Windows that are `stride` elements apart, a lane each.
void gather_windows(const float* from, int64_t stride, int64_t lanes, bool turned, Window& to) {
  for (int64_t i = 0; i < kWindowElements; ++i) {
    for (int64_t lane = 0; lane < kLanes; ++lane)
      to.data[i * kLanes + lane] =
          lane < lanes ? from[lane * stride + (turned ? kWindowElements - 1 - i : i)] : 0;
  }
}

}  // namespace

bool is_supported() {
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0;
#else
  return true;
#endif
}

void transform_inputs(const Images& images,
                      const Grid& grid,
                      const float* data,
                      int64_t begin,
                      int64_t end,
                      float* matrices,
                      const Matrices& layout) {
  const Square padding{grid.row_padding, grid.column_padding};
  transform_tiles<InputTransform>(images, grid, padding, data, begin, end, matrices, layout);
}

void transform_cotangents(const Images& images,
                          const Grid& grid,
                          const float* data,
                          int64_t begin,
                          int64_t end,
                          float* matrices,
                          const Matrices& layout) {
  transform_tiles<CotangentTransform>(images, grid, {0, 0}, data, begin, end, matrices, layout);
}

WICK_VECTORS
void inverse_transform_outputs(const Images& images,
                               const Grid& grid,
                               const float* matrices,
                               const Matrices& layout,
                               int64_t begin,
                               int64_t end,
                               float* data) {
  Patch<kOutputs> patch;
  for (int64_t tile = begin; tile < end; ++tile) {
    const Square at = square_of(grid, tile);
    const bool is_direct = images.block > 1 && is_inside(images, at, kOutputs);
    const int64_t image = tile / (grid.rows * grid.columns);
    for (int64_t channel = 0; channel < images.channels; channel += kLanes) {
      const float* from = matrices + (tile - begin) * layout.row_stride() + channel;
      float* plane = data + plane_of(images, image, channel);
      if (is_direct) {
        float* to = plane + (at.row * images.width + at.column) * images.block;
        transform_square<OutputTransform>(from, place_of(layout), to, place_of(images));
      } else {
        transform_square<OutputTransform>(from, place_of(layout), patch.data, patch.kPlace);
        scatter(images, patch, at, lanes_from(channel, images.channels), plane);
      }
    }
  }
}

WICK_VECTORS
void transform_windows(const Windows& windows,
                       const float* data,
                       int64_t begin,
                       int64_t end,
                       float* matrices,
                       const Matrices& layout) {
  constexpr int64_t kLine = 2 * kLanes;  // of the cache, to be written at once
  Window window;
  for (int64_t first = 0; first < windows.outputs; first += kLine) {
    for (int64_t input = begin; input < end; ++input) {
      for (int64_t output = first; output < std::min(windows.outputs, first + kLine);
           output += kLanes) {
        const float* from = data + output * windows.stride + input * kWindowElements;
        gather_windows(from, windows.stride, lanes_from(output, windows.outputs), false, window);
        float* to = matrices + input * layout.row_stride() + output;
        transform_square<WindowTransform>(window.data, window.kPlace, to, place_of(layout));
      }
    }
  }
}

WICK_VECTORS
void transform_turned_windows(const Windows& windows,
                              const float* data,
                              int64_t begin,
                              int64_t end,
                              float* matrices,
                              const Matrices& layout) {
  Window window;
  for (int64_t output = begin; output < end; ++output) {
    for (int64_t input = 0; input < windows.inputs; input += kLanes) {
      const float* from = data + output * windows.stride + input * kWindowElements;
      gather_windows(from, kWindowElements, lanes_from(input, windows.inputs), true, window);
      float* to = matrices + output * layout.row_stride() + input;
      transform_square<WindowTransform>(window.data, window.kPlace, to, place_of(layout));
    }
  }
}

WICK_VECTORS
void inverse_transform_windows(const Windows& windows,
                               const float* matrices,
                               const Matrices& layout,
                               int64_t begin,
                               int64_t end,
                               float* data) {
  Window window;
  for (int64_t output = begin; output < end; ++output) {
    for (int64_t input = 0; input < windows.inputs; input += kLanes) {
      const float* from = matrices + output * layout.row_stride() + input;
      transform_square<WindowGradientTransform>(from, place_of(layout), window.data, window.kPlace);
      float* to = data + output * windows.stride + input * kWindowElements;
      for (int64_t i = 0; i < kWindowElements; ++i) {
        for (int64_t lane = 0; lane < lanes_from(input, windows.inputs); ++lane)
          to[lane * kWindowElements + i] = window.data[i * kLanes + lane];
      }
    }
  }
}

}  // namespace wick::runtime::winograd
