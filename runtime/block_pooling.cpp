#include "wick/runtime/block_pooling.h"

#include <limits>

#include "wick/runtime/vector_lanes.h"
#include "wick/runtime/zeroed_rows.h"

namespace wick::runtime {
namespace {

/// The windows of a row of outputs, for channels in blocks of `lanes`.
class RowOfWindows {
 public:
  RowOfWindows(const PoolShape& shape, int64_t row)
      : shape_(shape),
        corner_(shape.rows.position(row, 0) * shape.columns.in),
        first_row_(shape.rows.first_element(row)),
        last_row_(shape.rows.last_element(row)),
        counted_rows_(shape.rows.counted(row, shape.exclude_padding)) {}

  WICK_VECTORS void store_largest(int64_t column, const float* in, float* out) const {
    const int64_t last_column = shape_.columns.last_element(column);
    Floats best = Floats{} - std::numeric_limits<float>::infinity();
    Ints has_nan = {};
    for (int64_t i = first_row_; i < last_row_; ++i) {
      for (int64_t j = shape_.columns.first_element(column); j < last_column; ++j) {
        const auto value = load(in + offset(column, i, j));
        best = value > best ? value : best;
        has_nan |= value != value;
      }
    }
    store(out, has_nan ? Floats{} + std::numeric_limits<float>::quiet_NaN() : best);
  }

  WICK_VECTORS void store_mean(int64_t column, const float* in, float* out) const {
    const int64_t last_column = shape_.columns.last_element(column);
    Floats sum = {};
    for (int64_t i = first_row_; i < last_row_; ++i) {
      for (int64_t j = shape_.columns.first_element(column); j < last_column; ++j)
        sum += load(in + offset(column, i, j));
    }
    store(out, sum / size(column));
  }

  /// Of a mean's cotangent, to what is there.
  WICK_VECTORS void add_shares(int64_t column, const float* cotangents, float* out) const {
    const int64_t last_column = shape_.columns.last_element(column);
    const Floats share = load(cotangents) / size(column);
    for (int64_t i = first_row_; i < last_row_; ++i) {
      for (int64_t j = shape_.columns.first_element(column); j < last_column; ++j) {
        float* const to = out + offset(column, i, j);
        store(to, load(to) + share);
      }
    }
  }

  /// Of the largest.
  WICK_VECTORS void store_number(int64_t column, const float* in, uint8_t* out) const {
    const int64_t kernel = shape_.columns.kernel;
    const int64_t first_column = shape_.columns.first_element(column);
    const int64_t last_column = shape_.columns.last_element(column);
    Floats best = Floats{} - std::numeric_limits<float>::infinity();
    Ints number = Ints{} + static_cast<int32_t>(first_row_ * kernel + first_column);
    for (int64_t i = first_row_; i < last_row_; ++i) {
      for (int64_t j = first_column; j < last_column; ++j) {
        const auto value = load(in + offset(column, i, j));
        const Ints wins = (value > best) | ((value != value) & (best == best));
        best = wins ? value : best;
        number = wins ? Ints{} + static_cast<int32_t>(i * kernel + j) : number;
      }
    }
    store(out, __builtin_convertvector(number, Bytes));
  }

  /// Adds to what is there, or, where each element is in one window, to zeros.
  template <bool kReplaces>
  WICK_VECTORS void add_cotangents(int64_t column,
                                   const uint8_t* numbers,
                                   const float* cotangents,
                                   float* out) const {
    const Ints number = __builtin_convertvector(load<Bytes>(numbers), Ints);
    const auto cotangent = load(cotangents);
    const int64_t last_column = shape_.columns.last_element(column);
    for (int64_t i = first_row_; i < last_row_; ++i) {
      for (int64_t j = shape_.columns.first_element(column); j < last_column; ++j) {
        float* const to = out + offset(column, i, j);
        const Ints is_chosen = number == static_cast<int32_t>(i * shape_.columns.kernel + j);
        const Floats before = kReplaces ? Floats{} : load(to);
        store(to, before + (is_chosen ? cotangent : Floats{}));
      }
    }
  }

 private:
  /// Of the first channel of element (i, j) of a window.
  [[nodiscard]] int64_t offset(int64_t column, int64_t i, int64_t j) const {
    const int64_t at = corner_ + i * shape_.columns.in + shape_.columns.position(column, j);
    return at * shape_.lanes;
  }

  /// Elements that count for a mean.
  [[nodiscard]] float size(int64_t column) const {
    return static_cast<float>(counted_rows_ *
                              shape_.columns.counted(column, shape_.exclude_padding));
  }

  const PoolShape& shape_;
  int64_t corner_;  // of the first window, maybe in the padding
  int64_t first_row_;
  int64_t last_row_;
  int64_t counted_rows_;
};

/// One result for each window.
template <auto kStoreResult, typename T>
WICK_VECTORS void pool_in_blocks(const PoolShape& shape,
                                 const void* const* operands,
                                 void* result) {
  const auto* in = static_cast<const float*>(operands[0]);
  auto* out = static_cast<T*>(result);
  for (int64_t row = 0; row < shape.rows.out; ++row) {
    const RowOfWindows windows(shape, row);
    for (int64_t column = 0; column < shape.columns.out; ++column) {
      for (int64_t lane = 0; lane < shape.lanes; lane += kLanes, out += kLanes)
        (windows.*kStoreResult)(column, in + lane, out);
    }
  }
}

WICK_VECTORS void mean_pool_grad_in_blocks(const PoolShape& shape,
                                           const void* const* operands,
                                           void* result) {
  const auto* cotangents = static_cast<const float*>(operands[0]);
  auto* out = static_cast<float*>(result);
  ZeroedRows<float> zeroed(shape, out);
  for (int64_t row = 0; row < shape.rows.out; ++row) {
    zeroed.up_to_windows_of(row);
    const RowOfWindows windows(shape, row);
    for (int64_t column = 0; column < shape.columns.out; ++column) {
      for (int64_t lane = 0; lane < shape.lanes; lane += kLanes, cotangents += kLanes)
        windows.add_shares(column, cotangents, out + lane);
    }
  }
  zeroed.up_to_end();
}

template <bool kReplaces>
WICK_VECTORS void max_pool_grad_in_blocks(const PoolShape& shape,
                                          const void* const* operands,
                                          void* result) {
  const auto* numbers = static_cast<const uint8_t*>(operands[0]);
  const auto* cotangents = static_cast<const float*>(operands[1]);
  auto* out = static_cast<float*>(result);
  ZeroedRows<float> zeroed(shape, out);
  for (int64_t row = 0; row < shape.rows.out; ++row) {
    if (!kReplaces) zeroed.up_to_windows_of(row);
    const RowOfWindows windows(shape, row);
    for (int64_t column = 0; column < shape.columns.out; ++column) {
      for (int64_t lane = 0; lane < shape.lanes; lane += kLanes) {
        windows.add_cotangents<kReplaces>(column, numbers, cotangents, out + lane);
        numbers += kLanes;
        cotangents += kLanes;
      }
    }
  }
  if (!kReplaces) zeroed.up_to_end();
}

/// Whether each element is in one window.
bool is_tiled(const PoolAxis& axis) {
  return axis.padding == 0 && axis.kernel == axis.stride && axis.in == axis.out * axis.kernel;
}

void max_pool_grad(const PoolShape& shape, const void* const* operands, void* result) {
  const bool replaces = is_tiled(shape.rows) && is_tiled(shape.columns);
  const auto gradient = replaces ? max_pool_grad_in_blocks<true> : max_pool_grad_in_blocks<false>;
  gradient(shape, operands, result);
}

}  // namespace

template <>
PlaneFunction block_pooling<kLanes>(ir::OpKind op) {
  switch (op) {
    case ir::OpKind::max_pool2d:
      return pool_in_blocks<&RowOfWindows::store_largest, float>;
    case ir::OpKind::avg_pool2d:
      return pool_in_blocks<&RowOfWindows::store_mean, float>;
    case ir::OpKind::avg_pool2d_grad:
      return mean_pool_grad_in_blocks;
    default:
      return nullptr;
  }
}

template <>
PlaneFunction block_pooling_by_number<kLanes>(ir::OpKind op) {
  return op == ir::OpKind::max_pool2d ? pool_in_blocks<&RowOfWindows::store_number, uint8_t>
                                      : max_pool_grad;
}

}  // namespace wick::runtime
