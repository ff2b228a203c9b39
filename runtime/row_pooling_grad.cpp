// Gradients of f32 pools of plain images, with vectors along the rows of the images. Each element
// sums what the windows that hold it give to it, in the order of runtime/native_pooling.cpp and
// native_argmax_pooling.cpp, so that all give the same bits.

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "wick/runtime/library_call.h"
#include "wick/runtime/parallel.h"
#include "wick/runtime/pool_shape.h"
#include "wick/runtime/vector_lanes.h"

namespace wick::runtime {
namespace {

/// Element m of a phase of a row, whose columns are a stride apart, has this number in window
/// at + m of those that are laid out from the first row on that holds it.
struct Tap {
  int64_t at;
  int32_t number;
};

/// Rows of windows from number `first` on, with zeros on both sides.
struct WindowRows {
  int64_t first = 0;
  std::vector<float> shares;     // of the cotangents, for each element
  std::vector<int32_t> numbers;  // of the one element that has it: of a maximum
};

/// The rows of windows [first, end) that hold a row of the image.
struct HoldingRows {
  int64_t first;
  int64_t end;
  std::span<const Tap> taps[2];  // of each phase, in the order of the sums; the call keeps them
};

WICK_VECTORS void widen(const uint8_t* from, int64_t count, int32_t* to) {
  for (int64_t i = 0; i < count; ++i)
    to[i] = from[i];
}

/// By the elements that count in each window of a row.
WICK_VECTORS void divide(const float* cotangents,
                         float rows,
                         const std::vector<float>& columns,
                         float* to) {
  for (size_t i = 0; i < columns.size(); ++i)
    to[i] = cotangents[i] / (rows * columns[i]);
}

template <bool kIsMaximum>
WICK_INLINE_VECTORS Floats
sum_of_shares(std::span<const Tap> taps, const float* shares, const int32_t* numbers, int64_t m) {
  Floats sum{};
  for (const Tap& tap : taps) {
    const auto share = load(shares + tap.at + m);
    if constexpr (kIsMaximum) {
      sum += load<Ints>(numbers + tap.at + m) == tap.number ? share : Floats{};
    } else {
      sum += share;
    }
  }
  return sum;
}

/// A row of the image.
struct RowTask {
  const HoldingRows& rows;  // of the call
  int64_t windows;          // the first of those laid out
  int64_t width;
  float* out;
  const float* end;
};

/// Writes beyond the last column what the next row overwrites, but nothing from `end` on.
template <bool kIsMaximum, int64_t kStride>
WICK_VECTORS void gradient_row(const RowTask& task, const WindowRows& windows) {
  const std::span<const Tap> even_taps = task.rows.taps[0];
  const std::span<const Tap> odd_taps = task.rows.taps[1];
  const float* shares = windows.shares.data() + task.windows;
  const int32_t* numbers = windows.numbers.data() + task.windows;
  float* out = task.out;
  const float* const end = task.end;
  const float* const row_end = out + task.width;
  for (int64_t m = 0; out < row_end; m += kLanes, out += kStride * kLanes) {
    const Floats even = sum_of_shares<kIsMaximum>(even_taps, shares, numbers, m);
    if constexpr (kStride == 1) {
      store_before(end, out, even);
    } else {
      const Floats odd = sum_of_shares<kIsMaximum>(odd_taps, shares, numbers, m);
      const auto left = __builtin_shufflevector(even, odd, 0, 8, 1, 9, 2, 10, 3, 11);
      const auto right = __builtin_shufflevector(even, odd, 4, 12, 5, 13, 6, 14, 7, 15);
      store_before(end, out, left);
      store_before(end, out + kLanes, right);
    }
  }
}

using RowFunction = void (*)(const RowTask&, const WindowRows&);

RowFunction row_function(bool is_maximum, int64_t stride) {
  if (stride == 1) return is_maximum ? gradient_row<true, 1> : gradient_row<false, 1>;
  return is_maximum ? gradient_row<true, 2> : gradient_row<false, 2>;
}

class RowPoolingGradient final : public HostCall {
 public:
  RowPoolingGradient(const LibraryOp& op, const PoolShape& pool)
      : pool_(pool),
        is_maximum_(op.op == ir::OpKind::max_pool2d_grad),
        gradient_row_(row_function(is_maximum_, pool.columns.stride)),
        before_((pool.columns.kernel - 1) / pool.columns.stride),
        pitch_(before_ + row_elements(pool.columns)),
        strip_(strip_rows()),
        strips_((pool.rows.in + strip_ - 1) / strip_) {
    for (int64_t x = 0; x < pool.columns.out; ++x)
      counted_.push_back(static_cast<float>(pool.columns.counted(x, pool.exclude_padding)));
    for (int64_t phase = 0; phase < pool.columns.stride; ++phase) {
      for (int64_t element = 0; element < pool.rows.kernel; ++element)
        taps_[phase].push_back(taps_of(phase, element));
    }
    for (int64_t row = 0; row < pool.rows.in; ++row)
      holding_.push_back(rows_that_hold(row));
  }

  std::string_view implementation() const override { return "pooling by rows"; }

  void run(const void* const* operands, void* result, std::byte* /*scratch*/) const override {
    constexpr int64_t kGrain = 32768;  // elements worth a thread
    const int64_t elements = strip_ * pool_.columns.in;
    parallel_ranges(pool_.planes * strips_, 1 + kGrain / elements, [&](int64_t begin, int64_t end) {
      WindowRows windows;
      windows.shares.resize(static_cast<size_t>(most_windows() * pitch_));
      if (is_maximum_) windows.numbers.resize(windows.shares.size());
      for (int64_t i = begin; i < end; ++i) {
        const int64_t plane = i / strips_;
        const int64_t first = i % strips_ * strip_;
        lay_out_windows(plane, first, operands, windows);
        sum_strip(first, windows, static_cast<float*>(result) + plane * pool_.in_plane());
      }
    });
  }

 private:
  /// Windows of a row and zeros behind them, as far as vectors reach.
  static int64_t row_elements(const PoolAxis& axis) {
    const int64_t columns = whole_vectors((axis.in + axis.stride - 1) / axis.stride);
    return std::max(columns + (axis.padding + axis.stride - 1) / axis.stride, axis.out);
  }

  /// Rows of the image whose windows fit in the first-level cache.
  [[nodiscard]] int64_t strip_rows() const {
    constexpr int64_t kElements = 2048;
    const PoolAxis& rows = pool_.rows;
    const int64_t fitting = kElements / pitch_ * rows.stride - rows.kernel;
    return std::clamp<int64_t>(fitting, std::min(rows.kernel, rows.in), rows.in);
  }

  /// Rows of windows that hold some row of a strip.
  [[nodiscard]] int64_t most_windows() const {
    return (strip_ + pool_.rows.kernel) / pool_.rows.stride + 2;
  }

  [[nodiscard]] int64_t strip_end(int64_t first) const {
    return std::min(pool_.rows.in, first + strip_);
  }

  [[nodiscard]] const HoldingRows& holding(int64_t row) const {
    return holding_[static_cast<size_t>(row)];
  }

  void lay_out_windows(int64_t plane,
                       int64_t first,
                       const void* const* operands,
                       WindowRows& windows) const {
    windows.first = holding(first).first;
    const int64_t end = holding(strip_end(first) - 1).end;
    const int64_t width = pool_.columns.out;
    const auto* cotangents = static_cast<const float*>(operands[is_maximum_ ? 1 : 0]);
    int64_t to = before_;
    for (int64_t row = windows.first; row < end; ++row, to += pitch_) {
      const int64_t from = plane * pool_.out_plane() + row * width;
      float* shares = windows.shares.data() + to;
      if (is_maximum_) {
        std::copy_n(cotangents + from, width, shares);
        widen(static_cast<const uint8_t*>(operands[0]) + from, width, windows.numbers.data() + to);
      } else {
        const auto rows = static_cast<float>(pool_.rows.counted(row, pool_.exclude_padding));
        divide(cotangents + from, rows, counted_, shares);
      }
    }
  }

  void sum_strip(int64_t first, const WindowRows& windows, float* out) const {
    const int64_t width = pool_.columns.in;
    const int64_t end = strip_end(first);
    for (int64_t row = first; row < end; ++row) {
      const HoldingRows& rows = holding(row);
      gradient_row_({.rows = rows,
                     .windows = (rows.first - windows.first) * pitch_ + before_,
                     .width = width,
                     .out = out + row * width,
                     .end = out + end * width},
                    windows);
    }
  }

  /// Of a row that is this element of the first row of windows that holds it, and of the following
  /// rows of windows. A sum goes row by row; of a maximum on from window to window, of a mean from
  /// element to element.
  [[nodiscard]] std::vector<Tap> taps_of(int64_t phase, int64_t element) const {
    const PoolAxis& axis = pool_.columns;
    std::vector<Tap> taps;
    for (int64_t start = 0; element >= 0; element -= pool_.rows.stride, start += pitch_) {
      const auto row = static_cast<std::ptrdiff_t>(taps.size());
      for (int64_t j = (phase + axis.padding) % axis.stride; j < axis.kernel; j += axis.stride) {
        const int64_t window = (phase + axis.padding - j) / axis.stride;
        taps.push_back({start + window, static_cast<int32_t>(element * axis.kernel + j)});
      }
      if (is_maximum_) std::reverse(taps.begin() + row, taps.end());
    }
    return taps;
  }

  [[nodiscard]] HoldingRows rows_that_hold(int64_t row) const {
    const PoolAxis& axis = pool_.rows;
    const int64_t padded = row + axis.padding;
    const int64_t first = std::max<int64_t>(0, padded - axis.kernel + axis.stride) / axis.stride;
    const int64_t end = std::max(first, std::min(axis.out, padded / axis.stride + 1));
    HoldingRows rows = {.first = first, .end = end, .taps = {}};
    if (first == end) return rows;
    const int64_t element = padded - first * axis.stride;  // of the first of them
    const int64_t all_rows = element / axis.stride + 1;
    for (int64_t phase = 0; phase < pool_.columns.stride; ++phase) {
      const std::span<const Tap> taps = taps_[phase][static_cast<size_t>(element)];
      rows.taps[phase] = taps.first(taps.size() / static_cast<size_t>(all_rows) *
                                    static_cast<size_t>(end - first));
    }
    return rows;
  }

  PoolShape pool_;
  bool is_maximum_;
  RowFunction gradient_row_;
  int64_t before_;                         // zeros in front of a row of windows
  int64_t pitch_;                          // between rows of windows
  int64_t strip_;                          // rows of the image at a time
  int64_t strips_;                         // of a plane
  std::vector<float> counted_;             // columns of each window that count for a mean
  std::vector<HoldingRows> holding_;       // of each row of the image
  std::vector<std::vector<Tap>> taps_[2];  // of each phase, by what taps_of() calls the element
};

/// Plain images with windows whose elements have a byte for a number, and fit in a list of taps.
/// Where windows are further apart, few of them hold an element.
bool may_go_by_rows(const LibraryOp& op, const PoolShape& shape) {
  const bool is_small = shape.rows.kernel * shape.columns.kernel <= 256;
  const bool has_bytes = op.op == ir::OpKind::avg_pool2d_grad || op.operands[0].dtype == DType::u8;
  return have_vectors() && op.result.dtype == DType::f32 && shape.lanes == 1 && is_small &&
         has_bytes && shape.columns.stride <= 2 && op.result.numel() > 0;
}

}  // namespace

std::unique_ptr<HostCall> make_row_pooling_gradient(const LibraryOp& op) {
  if (op.op != ir::OpKind::max_pool2d_grad && op.op != ir::OpKind::avg_pool2d_grad) return nullptr;
  const PoolShape shape = pool_shape(op.attributes, op.result.shape, op.operands[0].shape);
  if (!may_go_by_rows(op, shape)) return nullptr;
  return std::make_unique<RowPoolingGradient>(op, shape);
}

}  // namespace wick::runtime
