// The points are 0, 5/8, -5/8, 3/2, -3/2 and infinity: squares are exact, and errors are half those
// of the usual 0, 1, -1, 2, -2. With B, G and A the matrices of the algorithm, transposed where a
// name says so: outputs are A^T [(G w G^T) * (B^T x B)] A, and the windows' gradient, by the chain
// rule, is G^T [(B^T x B) * (A y A^T)] G.

#include "wick/runtime/winograd_tiles.h"

#include <algorithm>

#include "wick/runtime/some_lanes.h"
#include "wick/runtime/transpose_lanes.h"
#include "wick/runtime/vector_lanes.h"

namespace wick::runtime::winograd {
namespace {

constexpr float kA = 0.625F;
constexpr float kB = 1.5F;
constexpr float kAA = kA * kA;
constexpr float kBB = kB * kB;

/// B^T: row j has the coefficients of the product of all x - p but that of point j.
struct InputTransform {
  static constexpr int64_t kIn = kInputs;
  static constexpr int64_t kOut = kInputs;

  WICK_INLINE_VECTORS static void apply(const Floats* in, Floats* out) {
    const Floats even_a = in[4] - kBB * in[2];
    const Floats odd_a = in[3] - kBB * in[1];
    const Floats even_b = in[4] - kAA * in[2];
    const Floats odd_b = in[3] - kAA * in[1];
    out[0] = even_b - kBB * (in[2] - kAA * in[0]);
    out[1] = even_a + kA * odd_a;
    out[2] = even_a - kA * odd_a;
    out[3] = even_b + kB * odd_b;
    out[4] = even_b - kB * odd_b;
    out[5] = in[5] - kAA * in[3] - kBB * odd_b;
  }
};

// What G divides the powers of a point by: the product of its differences to the other points.
constexpr float kAtZero = 1 / (kAA * kBB);
constexpr float kAtA = 1 / (2 * kAA * (kAA - kBB));
constexpr float kAtB = 1 / (2 * kBB * (kBB - kAA));

/// A polynomial of so many coefficients at all points: A, or G, which scales.
template <int64_t kTerms, bool kScales>
struct Evaluation {
  static constexpr int64_t kIn = kTerms;
  static constexpr int64_t kOut = kInputs;

  WICK_INLINE_VECTORS static void apply(const Floats* in, Floats* out) {
    out[0] = (kScales ? kAtZero : 1) * in[0];
    at_both_signs(in, kA, kScales ? kAtA : 1, out + 1);
    at_both_signs(in, kB, kScales ? kAtB : 1, out + 3);
    out[5] = in[kTerms - 1];
  }

 private:
  WICK_INLINE_VECTORS static void at_both_signs(const Floats* in,
                                                float point,
                                                float scale,
                                                Floats* out) {
    Floats even = scale * in[0];
    Floats odd = scale * point * in[1];
    float power = scale * point * point;
    for (int64_t i = 2; i < kTerms; i += 2, power *= point * point) {
      even += power * in[i];
      if (i + 1 < kTerms) odd += power * point * in[i + 1];
    }
    out[0] = even + odd;
    out[1] = even - odd;
  }
};

/// The transposed: A^T or G^T. Element i sums the points to the power of i.
template <int64_t kTerms, bool kScales>
struct PowerSums {
  static constexpr int64_t kIn = kInputs;
  static constexpr int64_t kOut = kTerms;

  WICK_INLINE_VECTORS static void apply(const Floats* in, Floats* out) {
    float of_a = kScales ? kAtA : 1;
    float of_b = kScales ? kAtB : 1;
    const Floats sum_a = in[1] + in[2];
    const Floats sum_b = in[3] + in[4];
    const Floats difference_a = in[1] - in[2];
    const Floats difference_b = in[3] - in[4];
    for (int64_t i = 0; i < kTerms; i += 2, of_a *= kAA, of_b *= kBB) {
      out[i] = of_a * sum_a + of_b * sum_b;
      if (i + 1 < kTerms) out[i + 1] = of_a * kA * difference_a + of_b * kB * difference_b;
    }
    out[0] += (kScales ? kAtZero : 1) * in[0];
    out[kTerms - 1] += in[5];
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
  Floats half[Transform::kOut][Transform::kIn];
  for (int64_t column = 0; column < Transform::kIn; ++column) {
    Floats in[Transform::kIn];
    Floats out[Transform::kOut];
    for (int64_t row = 0; row < Transform::kIn; ++row)
      in[row] = load(from + row * from_place.row_stride + column * from_place.column_stride);
    Transform::apply(in, out);
    for (int64_t row = 0; row < Transform::kOut; ++row)
      half[row][column] = out[row];
  }
  for (int64_t row = 0; row < Transform::kOut; ++row) {
    Floats out[Transform::kOut];
    Transform::apply(half[row], out);
    for (int64_t column = 0; column < Transform::kOut; ++column)
      store(to + row * to_place.row_stride + column * to_place.column_stride, out[column]);
  }
}

/// A square of a vector of channels, dense.
template <int64_t kSize>
struct Patch {
  alignas(sizeof(Floats)) float data[kSize * kSize * kLanes];
  static constexpr Place kPlace{kSize * kLanes, kLanes};
};

Square inputs_of(const Tile& tile, Grid::Padding padding) {
  return {tile.outputs.row - padding.rows, tile.outputs.column - padding.columns, kInputs, kInputs};
}

/// Whether all of a square counts, and lies inside.
bool is_whole(const Images& images, const Square& at, int64_t size) {
  return at.height == size && at.width == size && at.row >= 0 && at.column >= 0 &&
         at.row + size <= images.height && at.column + size <= images.width;
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

/// Zeros outside of the image, and for what does not count.
template <int64_t kSize>
WICK_VECTORS void gather(const Images& images,
                         const float* plane,
                         const Square& at,
                         int64_t lanes,
                         Patch<kSize>& patch) {
  const int64_t step = channel_step(images);
  const int64_t first = std::clamp<int64_t>(-at.column, 0, kSize);
  const int64_t last =
      std::clamp<int64_t>(std::min(at.width, images.width - at.column), first, kSize);
  for (int64_t i = 0; i < kSize; ++i) {
    float* to = patch.data + i * kSize * kLanes;
    const int64_t row = at.row + i;
    const bool is_in = i < at.height && row >= 0 && row < images.height;
    const float* from = plane + (row * images.width + at.column) * images.block;
    for (int64_t j = 0; j < kSize; ++j, to += kLanes, from += images.block) {
      if (!is_in || j < first || j >= last) {
        store(to, Floats{});
      } else if (images.block > 1) {
        store(to, load(from));
      } else {
        for (int64_t lane = 0; lane < kLanes; ++lane)
          to[lane] = lane < lanes ? from[lane * step] : 0;
      }
    }
  }
}

template <int64_t kSize>
WICK_VECTORS void scatter(const Images& images,
                          const Patch<kSize>& patch,
                          const Square& at,
                          int64_t lanes,
                          float* plane) {
  const int64_t step = channel_step(images);
  const int64_t rows = std::min(at.height, images.height - at.row);
  const int64_t columns = std::min(at.width, images.width - at.column);
  for (int64_t row = 0; row < rows; ++row) {
    for (int64_t column = 0; column < columns; ++column) {
      const float* from = patch.data + (row * kSize + column) * kLanes;
      float* to = plane + ((at.row + row) * images.width + at.column + column) * images.block;
      if (images.block > 1) {
        store(to, load(from));
        continue;
      }
      for (int64_t lane = 0; lane < lanes; ++lane)
        to[lane * step] = from[lane];
    }
  }
}

Place place_of(const Images& images) {
  return {images.width * images.block, images.block};
}

Place place_of(const Matrices& layout) {
  return {kInputs * layout.stride(), layout.stride()};
}

/// Squares of Transform::kIn of each tile, inputs or cotangents of outputs.
template <class Transform, bool kOfInputs>
WICK_VECTORS void transform_tiles(const Images& images,
                                  const Grid& grid,
                                  const float* data,
                                  int64_t begin,
                                  int64_t end,
                                  float* matrices,
                                  const Matrices& layout) {
  Patch<Transform::kIn> patch;
  for (int64_t number = begin; number < end; ++number) {
    const Tile tile = grid.tile(number);
    const Square at = kOfInputs ? inputs_of(tile, grid.padding()) : tile.outputs;
    const bool is_direct = images.block > 1 && is_whole(images, at, Transform::kIn);
    for (int64_t channel = 0; channel < images.channels; channel += kLanes) {
      const float* plane = data + plane_of(images, tile.image, channel);
      float* to = matrices + (number - begin) * layout.row_stride() + channel;
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

template <int64_t kWindow>
struct Algorithm {
  static constexpr int64_t kOutputs = kInputs + 1 - kWindow;
  static constexpr int64_t kElements = kWindow * kWindow;

  using Window = Patch<kWindow>;
  using OfWindows = Evaluation<kWindow, true>;

  WICK_VECTORS static void inverse_outputs(const Images& images,
                                           const Grid& grid,
                                           const float* matrices,
                                           const Matrices& layout,
                                           int64_t begin,
                                           int64_t end,
                                           float* data) {
    using Transform = PowerSums<kOutputs, false>;
    Patch<kOutputs> patch;
    for (int64_t number = begin; number < end; ++number) {
      const Tile tile = grid.tile(number);
      const Square at = tile.outputs;
      const bool is_direct = images.block > 1 && is_whole(images, at, kOutputs);
      for (int64_t channel = 0; channel < images.channels; channel += kLanes) {
        const float* from = matrices + (number - begin) * layout.row_stride() + channel;
        float* plane = data + plane_of(images, tile.image, channel);
        if (is_direct) {
          float* to = plane + (at.row * images.width + at.column) * images.block;
          transform_square<Transform>(from, place_of(layout), to, place_of(images));
        } else {
          transform_square<Transform>(from, place_of(layout), patch.data, patch.kPlace);
          scatter(images, patch, at, lanes_from(channel, images.channels), plane);
        }
      }
    }
  }

  /// Windows that are `stride` elements apart, a lane each.
  WICK_INLINE_VECTORS static void gather_windows(
      const float* from, int64_t stride, int64_t lanes, bool turned, Window& to) {
#pragma GCC unroll 4
    for (int64_t first = 0; first < kElements; first += kLanes) {
      const int64_t elements = std::min(kLanes, kElements - first);
      const SomeLanes some(elements);
      Floats square[kLanes] = {};
#pragma GCC unroll 16
      for (int64_t lane = 0; lane < kLanes; ++lane) {
        if (lane < lanes) square[lane] = some.load(from + lane * stride + first);
      }
      transpose(square);
#pragma GCC unroll 16
      for (int64_t i = 0; i < elements; ++i) {
        const int64_t element = turned ? kElements - 1 - first - i : first + i;
        store(to.data + element * kLanes, square[i]);
      }
    }
  }

  WICK_INLINE_VECTORS static void scatter_windows(const Window& from, int64_t lanes, float* to) {
#pragma GCC unroll 4
    for (int64_t first = 0; first < kElements; first += kLanes) {
      const int64_t elements = std::min(kLanes, kElements - first);
      const SomeLanes some(elements);
      Floats square[kLanes] = {};
#pragma GCC unroll 16
      for (int64_t i = 0; i < elements; ++i)
        square[i] = load(from.data + (first + i) * kLanes);
      transpose(square);
#pragma GCC unroll 16
      for (int64_t lane = 0; lane < kLanes; ++lane) {
        if (lane < lanes) some.store(to + lane * kElements + first, square[lane]);
      }
    }
  }

  WICK_VECTORS static void windows(const Windows& windows,
                                   const float* data,
                                   int64_t begin,
                                   int64_t end,
                                   float* matrices,
                                   const Matrices& layout) {
    constexpr int64_t kLine = 16;  // of the cache, to be written at once
    Window window;
    for (int64_t first = 0; first < windows.outputs; first += kLine) {
      for (int64_t input = begin; input < end; ++input) {
        for (int64_t output = first; output < std::min(windows.outputs, first + kLine);
             output += kLanes) {
          const float* from = data + output * windows.stride + input * kElements;
          gather_windows(from, windows.stride, lanes_from(output, windows.outputs), false, window);
          float* to = matrices + input * layout.row_stride() + output;
          transform_square<OfWindows>(window.data, window.kPlace, to, place_of(layout));
        }
      }
    }
  }

  WICK_VECTORS static void turned_windows(const Windows& windows,
                                          const float* data,
                                          int64_t begin,
                                          int64_t end,
                                          float* matrices,
                                          const Matrices& layout) {
    Window window;
    for (int64_t output = begin; output < end; ++output) {
      for (int64_t input = 0; input < windows.inputs; input += kLanes) {
        const float* from = data + output * windows.stride + input * kElements;
        gather_windows(from, kElements, lanes_from(input, windows.inputs), true, window);
        float* to = matrices + output * layout.row_stride() + input;
        transform_square<OfWindows>(window.data, window.kPlace, to, place_of(layout));
      }
    }
  }

  WICK_VECTORS static void inverse_windows(const Windows& windows,
                                           const float* matrices,
                                           const Matrices& layout,
                                           int64_t begin,
                                           int64_t end,
                                           float* data) {
    Window window;
    for (int64_t output = begin; output < end; ++output) {
      for (int64_t input = 0; input < windows.inputs; input += kLanes) {
        const float* from = matrices + output * layout.row_stride() + input;
        transform_square<PowerSums<kWindow, true>>(
            from, place_of(layout), window.data, window.kPlace);
        float* to = data + output * windows.stride + input * kElements;
        scatter_windows(window, lanes_from(input, windows.inputs), to);
      }
    }
  }

  static constexpr Transforms kTransforms = {
      .window = kWindow,
      .outputs = kOutputs,
      .inputs = transform_tiles<InputTransform, true>,
      .inverse_outputs = inverse_outputs,
      .cotangents = transform_tiles<Evaluation<kOutputs, false>, false>,
      .windows = windows,
      .turned_windows = turned_windows,
      .inverse_windows = inverse_windows};
};

}  // namespace

template <>
const Transforms* find_transforms<kLanes>(int64_t window) {
  if (window == 3) return &Algorithm<3>::kTransforms;
  return window == 5 ? &Algorithm<5>::kTransforms : nullptr;
}

}  // namespace wick::runtime::winograd
