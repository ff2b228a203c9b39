#pragma once

// The planes that pooling works on.

#include <algorithm>
#include <cstdint>

#include "wick/ir/attributes.h"
#include "wick/ir/op.h"
#include "wick/ir/shape.h"

namespace wick::runtime {

/// Numbers of elements instead of the elements: of max_pool2d.
inline bool is_argmax(const ir::Attributes& attributes) {
  return attributes.flag("argmax");
}

struct PoolAxis {
  int64_t in = 1;
  int64_t out = 1;
  int64_t kernel = 1;
  int64_t stride = 1;
  int64_t padding = 0;

  [[nodiscard]] int64_t position(int64_t at, int64_t k) const { return at * stride - padding + k; }

  /// Outputs whose window element k lies inside the input: [first, last).
  [[nodiscard]] int64_t first_output(int64_t k) const {
    const int64_t short_of = padding - k;
    return short_of <= 0 ? 0 : (short_of + stride - 1) / stride;
  }

  [[nodiscard]] int64_t last_output(int64_t k) const {
    const int64_t room = in - 1 + padding - k;
    return room < 0 ? 0 : std::min(out, room / stride + 1);
  }

  /// Window elements of output `at` inside the input: [first, last).
  [[nodiscard]] int64_t first_element(int64_t at) const {
    return std::max<int64_t>(0, padding - at * stride);
  }

  [[nodiscard]] int64_t last_element(int64_t at) const {
    return std::min(kernel, in + padding - at * stride);
  }

  /// Window elements of output `at` that count for a mean.
  [[nodiscard]] int64_t counted(int64_t at, bool exclude_padding) const {
    return exclude_padding ? last_element(at) - first_element(at) : kernel;
  }
};

/// A plane holds the channels of a block side by side: `lanes` of them.
struct PoolShape {
  int64_t planes = 1;
  PoolAxis rows;
  PoolAxis columns;
  int64_t lanes = 1;
  bool exclude_padding = false;

  [[nodiscard]] int64_t in_plane() const { return rows.in * columns.in * lanes; }

  [[nodiscard]] int64_t out_plane() const { return rows.out * columns.out * lanes; }

  /// Planes worth a thread.
  [[nodiscard]] int64_t grain() const {
    const int64_t work = in_plane() + out_plane() * rows.kernel * columns.kernel;
    constexpr int64_t kWorkGrain = 32768;  // elements read worth a thread
    return std::max<int64_t>(1, kWorkGrain / std::max<int64_t>(1, work));
  }
};

/// Of an op with these attributes, from images of the one shape to images of the other.
PoolShape pool_shape(const ir::Attributes& attributes, const Shape& in, const Shape& out);

/// An op on one plane: from its operands' planes to the result's.
using PlaneFunction = void (*)(const PoolShape& shape, const void* const* operands, void* result);

/// max_pool2d with `argmax`, or max_pool2d_grad, of images of a dtype, with `lanes` channels in a
/// block; null where there is none. `numbers` is the dtype of the elements' numbers.
PlaneFunction chosen_element_function(ir::OpKind op, DType images, DType numbers, int64_t lanes);

}  // namespace wick::runtime
