#include "wick/runtime/winograd_tiles.h"

#include <algorithm>

#include "wick/runtime/some_lanes.h"
#include "wick/runtime/transpose_lanes.h"
#include "wick/runtime/vector_lanes.h"
#include "wick/runtime/winograd_axes.h"

namespace wick::runtime::winograd {
namespace {

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
  for (int64_t row = std::max<int64_t>(0, -at.row); row < rows; ++row) {
    for (int64_t column = std::max<int64_t>(0, -at.column); column < columns; ++column) {
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

/// Of a square whose elements belong to a matrix each.
template <int64_t kSize>
Place place_of(const Matrices& layout) {
  return {kSize * layout.stride(), layout.stride()};
}

/// The first element of a square of a channel, in images of blocks.
template <typename T>
T* square_in(const Images& images, T* data, int64_t image, int64_t channel, const Square& at) {
  return data + plane_of(images, image, channel) +
         (at.row * images.width + at.column) * images.block;
}

/// What the next tile reads, or what the first reads of the next channels, is asked for.
template <int64_t kSize>
WICK_INLINE_VECTORS void ask_for(const float* square, Place place) {
  for (int64_t row = 0; row < kSize; ++row) {
    for (int64_t column = 0; column < kSize; ++column)
      __builtin_prefetch(square + row * place.row_stride + column * place.column_stride);
  }
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
  constexpr int64_t kSize = Transform::kIn;
  const auto square_of = [](const Tile& tile) {
    return kOfInputs ? Square{tile.input_row, tile.input_column, kSize, kSize} : tile.outputs;
  };
  const Place values = place_of<Transform::kOut>(layout);
  const Place place = place_of(images);
  const bool has_blocks = images.block > 1;
  Patch<kSize> patch;
  Tile tile = grid.tile(begin);
  for (int64_t channel = 0; channel < images.channels; channel += kLanes) {
    for (int64_t number = begin; number < end; ++number) {
      const bool is_last = number + 1 == end;
      const Tile next = grid.tile(is_last ? begin : number + 1);
      const int64_t next_channel = is_last ? channel + kLanes : channel;
      if (has_blocks && next_channel < images.channels)
        ask_for<kSize>(square_in(images, data, next.image, next_channel, square_of(next)), place);
      const Square at = square_of(tile);
      float* to = matrices + (number - begin) * layout.row_stride() + channel;
      if (has_blocks && is_whole(images, at, kSize)) {
        const float* from = square_in(images, data, tile.image, channel, at);
        transform_square<Transform>(from, place, to, values);
      } else {
        const float* plane = data + plane_of(images, tile.image, channel);
        gather(images, plane, at, lanes_from(channel, images.channels), patch);
        transform_square<Transform>(patch.data, patch.kPlace, to, values);
      }
      tile = next;
    }
  }
}

template <class Transform>
WICK_VECTORS void inverse_tiles(const Images& images,
                                const Grid& grid,
                                const float* matrices,
                                const Matrices& layout,
                                int64_t begin,
                                int64_t end,
                                float* data) {
  const Place values = place_of<Transform::kIn>(layout);
  Patch<Transform::kOut> patch;
  for (int64_t number = begin; number < end; ++number) {
    const Tile tile = grid.tile(number);
    const Square at = tile.outputs;
    const bool is_direct = images.block > 1 && is_whole(images, at, Transform::kOut);
    for (int64_t channel = 0; channel < images.channels; channel += kLanes) {
      const float* from = matrices + (number - begin) * layout.row_stride() + channel;
      if (is_direct) {
        float* to = square_in(images, data, tile.image, channel, at);
        transform_square<Transform>(from, values, to, place_of(images));
      } else {
        transform_square<Transform>(from, values, patch.data, patch.kPlace);
        float* plane = data + plane_of(images, tile.image, channel);
        scatter(images, patch, at, lanes_from(channel, images.channels), plane);
      }
    }
  }
}

/// Transforms of windows, or of what becomes their gradient.
template <class Transform, int64_t kWindow>
struct OfWindows {
  static constexpr int64_t kElements = kWindow * kWindow;

  using Window = Patch<kWindow>;

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

  /// What follows in memory is asked for.
  WICK_INLINE_VECTORS static void copy_run(const float* from, int64_t elements, float* to) {
    int64_t i = 0;
    for (; i + kLanes <= elements; i += kLanes) {
      __builtin_prefetch(from + elements + i);
      store(to + i, load(from + i));
    }
    for (; i < elements; ++i)
      to[i] = from[i];
  }

  WICK_VECTORS static void plain(const Windows& windows,
                                 const float* data,
                                 int64_t begin,
                                 int64_t end,
                                 float* matrices,
                                 const Matrices& layout) {
    constexpr int64_t kLine = 16;                 // of the cache, to be written at once
    constexpr int64_t kInputs = 144 / kElements;  // whose windows fill whole vectors, or nearly
    // Windows of many inputs are powers of two apart, and would meet in a few lines.
    alignas(sizeof(Floats)) float runs[kLine][kInputs * kElements];
    Window window;
    for (int64_t first = 0; first < windows.outputs; first += kLine) {
      const int64_t outputs = std::min(kLine, windows.outputs - first);
      for (int64_t some = begin; some < end; some += kInputs) {
        const int64_t inputs = std::min(kInputs, end - some);
        const float* from = data + first * windows.stride + some * kElements;
        for (int64_t output = 0; output < outputs; ++output, from += windows.stride)
          copy_run(from, inputs * kElements, runs[output]);
        for (int64_t input = 0; input < inputs; ++input) {
          float* to = matrices + (some + input) * layout.row_stride() + first;
          for (int64_t output = 0; output < outputs; output += kLanes, to += kLanes) {
            gather_windows(runs[output] + input * kElements,
                           kInputs * kElements,
                           lanes_from(output, outputs),
                           false,
                           window);
            transform_square<Transform>(
                window.data, window.kPlace, to, place_of<kWindowPoints>(layout));
          }
        }
      }
    }
  }

  WICK_VECTORS static void turned(const Windows& windows,
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
        transform_square<Transform>(
            window.data, window.kPlace, to, place_of<kWindowPoints>(layout));
      }
    }
  }

  WICK_VECTORS static void inverse(const Windows& windows,
                                   const float* matrices,
                                   const Matrices& layout,
                                   int64_t begin,
                                   int64_t end,
                                   float* data) {
    Window window;
    for (int64_t output = begin; output < end; ++output) {
      for (int64_t input = 0; input < windows.inputs; input += kLanes) {
        const float* from = matrices + output * layout.row_stride() + input;
        transform_square<Transform>(
            from, place_of<kWindowPoints>(layout), window.data, window.kPlace);
        float* to = data + output * windows.stride + input * kElements;
        scatter_windows(window, lanes_from(input, windows.inputs), to);
      }
    }
  }
};

/// Windows with a stride of 1.
template <int64_t kWindow>
struct Dense {
  static constexpr int64_t kUnits = SixPoints::kCount + 1 - kWindow;
  static constexpr Tiling kTiling = {
      .units = kUnits,
      .outputs = 1,
      .inputs = 1,
      .points = {.of_window = {0, 1, 2, 3, 4, 5}, .count = 6, .in_short = 5}};

  using Taps = OfWindows<Evaluation<SixPoints, kWindow, true>, kWindow>;
  using TapGradients = OfWindows<PowerSums<SixPoints, kWindow, true>, kWindow>;

  static constexpr auto* kInputs = transform_tiles<Inputs<SixPoints>, true>;
  static constexpr auto* kOutputs = inverse_tiles<PowerSums<SixPoints, kUnits, false>>;
  static constexpr auto* kCotangents = transform_tiles<Evaluation<SixPoints, kUnits, false>, false>;

  static constexpr Algorithms kAlgorithms = {
      .convolution = {kTiling, kInputs, Taps::plain, kOutputs},
      .input_gradient = {kTiling, kInputs, Taps::turned, kOutputs},
      .window_gradient = {kTiling, kInputs, kCotangents, TapGradients::inverse}};
};

constexpr Tiling strided_tiling(int64_t outputs, int64_t inputs) {
  return {.units = Strided::kTile,
          .outputs = outputs,
          .inputs = inputs,
          .points = {.of_window = {0, 1, 2, 3, 4, 4, 4, 4, 5}, .count = 9, .in_short = 7}};
}

constexpr Algorithms kStrided = {
    .convolution = {strided_tiling(1, 2),
                    transform_tiles<Strided::Inputs, true>,
                    OfWindows<Strided::Windows, 3>::plain,
                    inverse_tiles<Strided::Outputs>},
    .input_gradient = {strided_tiling(2, 1),
                       transform_tiles<Strided::Cotangents, true>,
                       OfWindows<Strided::Windows, 3>::turned,
                       inverse_tiles<Strided::InputGradients>},
    .window_gradient = {strided_tiling(1, 2),
                        transform_tiles<Strided::Inputs, true>,
                        transform_tiles<Strided::WindowCotangents, false>,
                        OfWindows<Strided::WindowGradients, 3>::inverse}};

}  // namespace

template <>
const Algorithms* find_algorithms<kLanes>(int64_t window, int64_t stride) {
  if (stride == 2) return window == 3 ? &kStrided : nullptr;
  if (stride != 1) return nullptr;
  if (window == 3) return &Dense<3>::kAlgorithms;
  return window == 5 ? &Dense<5>::kAlgorithms : nullptr;
}

}  // namespace wick::runtime::winograd
