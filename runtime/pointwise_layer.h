#pragma once

// Images with channels in blocks of vectors, and windows of one pixel over them. Internal to
// runtime/.

#include <cstdint>
#include <vector>

#include "wick/runtime/library_call.h"
#include "wick/runtime/pixel_row.h"

namespace wick::runtime {

/// Images as planes of blocks of channels.
struct PixelPlanes {
  int64_t images;
  int64_t blocks;
  int64_t height;
  int64_t width;
  int64_t lanes;

  [[nodiscard]] int64_t channels() const { return blocks * lanes; }

  [[nodiscard]] int64_t pixels() const { return height * width; }

  // In elements.
  [[nodiscard]] int64_t plane() const { return pixels() * lanes; }

  [[nodiscard]] int64_t size() const { return images * blocks * plane(); }

  [[nodiscard]] int64_t offset(int64_t image, int64_t block, int64_t pixel) const {
    return (image * blocks + block) * plane() + pixel * lanes;
  }
};

/// What the windows of one pixel meet: every so many rows and columns of the inputs.
struct PointwiseLayer {
  PixelPlanes inputs;
  PixelPlanes outputs;
  int64_t row_stride = 1;
  int64_t column_stride = 1;

  [[nodiscard]] bool is_dense() const { return row_stride == 1 && column_stride == 1; }

  /// Planes of those inputs alone that windows meet.
  [[nodiscard]] PixelPlanes met_inputs() const {
    PixelPlanes met = outputs;
    met.blocks = inputs.blocks;
    return met;
  }

  [[nodiscard]] int64_t multiplications() const { return outputs.size() * inputs.channels(); }
};

PointwiseLayer pointwise_layer(const LibraryOp& op);

/// Pixels of one image of the outputs, and the inputs that their windows meet.
struct PixelRange {
  int64_t image;
  int64_t first;
  int64_t pixels;
};

/// All pixels, in ranges of one image and of at most so many pixels.
std::vector<PixelRange> pixel_ranges(const PixelPlanes& planes, int64_t most);

/// Where a range lies in images.
template <class Element>
PixelRow<Element> row_in(const PixelPlanes& planes, const PixelRange& range, Element* images) {
  return {images + planes.offset(range.image, 0, range.first), planes.plane()};
}

/// Where it lies by itself.
template <class Element>
PixelRow<Element> row_alone(const PixelPlanes& planes, const PixelRange& range, Element* data) {
  return {data, range.pixels * planes.lanes};
}

/// The same, all ranges behind each other.
template <class Element>
PixelRow<Element> row_among_ranges(const PixelPlanes& planes,
                                   const PixelRange& range,
                                   Element* data) {
  const int64_t pixels_before = range.image * planes.pixels() + range.first;
  return row_alone(planes, range, data + pixels_before * planes.channels());
}

/// Copies the inputs that windows meet.
void gather_met_inputs(const PointwiseLayer& layer,
                       const PixelRange& range,
                       const float* inputs,
                       PixelRow<float> met);

/// And back: zeros up to the next range where no window is.
void spread_met_inputs(const PointwiseLayer& layer,
                       const PixelRange& range,
                       PixelRow<const float> met,
                       float* inputs);

}  // namespace wick::runtime
