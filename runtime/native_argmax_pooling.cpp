// Which element of each window is the largest, and the gradient of max pooling, which moves each
// cotangent there.
//
// Channels in blocks are lanes of vectors: what is known of a window stays in registers. By hand,
// since compilers make scalar code of it.

#include <algorithm>
#include <limits>
#include <type_traits>
#include <vector>

#include "wick/runtime/pool_rows.h"
#include "wick/runtime/vector_lanes.h"

namespace wick::runtime {
namespace {

/// Of the width of T: lanes of both go side by side.
template <typename T>
using WideNumber = std::conditional_t<sizeof(T) == 4, int32_t, int64_t>;

template <typename T, typename Number>
void argmax_pool(const PoolShape& shape, const void* const* operands, void* result) {
  const auto* in = static_cast<const T*>(operands[0]);
  auto* out = static_cast<Number*>(result);
  const int64_t width = shape.columns.out * shape.lanes;
  std::vector<T> best(static_cast<size_t>(width));
  std::vector<WideNumber<T>> number(best.size());
  for (int64_t row = 0; row < shape.rows.out; ++row, out += width) {
    const int64_t top = shape.rows.first_element(row) * shape.columns.kernel;
    std::ranges::fill(best, -std::numeric_limits<T>::infinity());
    for_each_of_row(shape, [&](int64_t column, int64_t /*lane*/, int64_t x) {
      const int64_t first = top + shape.columns.first_element(column);
      number[static_cast<size_t>(x)] = static_cast<WideNumber<T>>(first);
    });
    T* const best_of = best.data();
    WideNumber<T>* const number_of = number.data();
    for_each_pair_of_row(shape, row, [&](int64_t to, int64_t from, int64_t element) {
      const T value = in[from];
      const bool wins = (value > best_of[to]) | ((value != value) & (best_of[to] == best_of[to]));
      best_of[to] = wins ? value : best_of[to];
      number_of[to] = wins ? static_cast<WideNumber<T>>(element) : number_of[to];
    });
    std::ranges::transform(number, out, [](auto wide) { return static_cast<Number>(wide); });
  }
}

/// The rows of a gradient become zero shortly before something is added to them.
template <typename T>
class ZeroedRows {
 public:
  ZeroedRows(const PoolShape& shape, T* gradient) : shape_(shape), gradient_(gradient) {}

  void up_to_windows_of(int64_t row) {
    up_to(shape_.rows.position(row, shape_.rows.last_element(row)));
  }

  void up_to_end() { up_to(shape_.rows.in); }

 private:
  void up_to(int64_t end) {
    const int64_t width = shape_.columns.in * shape_.lanes;
    if (end > zeroed_) std::fill_n(gradient_ + zeroed_ * width, (end - zeroed_) * width, T{0});
    zeroed_ = std::max(zeroed_, end);
  }

  const PoolShape& shape_;
  T* gradient_;
  int64_t zeroed_ = 0;
};

bool is_inside(const PoolAxis& axis, int64_t position) {
  return position >= 0 && position < axis.in;
}

/// Numbers of no element of the input count nothing: a graph may take them from anywhere.
template <typename T, typename Number>
void max_pool_grad(const PoolShape& shape, const void* const* operands, void* result) {
  const auto* number = static_cast<const Number*>(operands[0]);
  const auto* cotangent = static_cast<const T*>(operands[1]);
  auto* out = static_cast<T*>(result);
  const PoolAxis& rows = shape.rows;
  const PoolAxis& columns = shape.columns;

  struct Element {
    int64_t row;
    int64_t column;
  };

  std::vector<Element> elements;
  for (int64_t i = 0; i < rows.kernel * columns.kernel; ++i)
    elements.push_back({i / columns.kernel, i % columns.kernel});
  const int64_t width = columns.out * shape.lanes;
  ZeroedRows<T> zeroed(shape, out);
  for (int64_t row = 0; row < rows.out; ++row, number += width, cotangent += width) {
    zeroed.up_to_windows_of(row);
    for_each_of_row(shape, [&](int64_t column, int64_t lane, int64_t x) {
      const auto chosen = static_cast<size_t>(number[x]);
      if (chosen >= elements.size()) return;
      const int64_t i = rows.position(row, elements[chosen].row);
      const int64_t j = columns.position(column, elements[chosen].column);
      if (!is_inside(rows, i) || !is_inside(columns, j)) return;
      out[(i * columns.in + j) * shape.lanes + lane] += cotangent[x];
    });
  }
  zeroed.up_to_end();
}

/// The windows of a row of outputs, for channels in blocks of `lanes`.
class RowOfWindows {
 public:
  RowOfWindows(const PoolShape& shape, int64_t row)
      : shape_(shape),
        corner_(shape.rows.position(row, 0) * shape.columns.in),
        first_row_(shape.rows.first_element(row)),
        last_row_(shape.rows.last_element(row)) {}

  WICK_VECTORS void find_largest(int64_t column, const float* in, uint8_t* out) const {
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
        store(to, load(to) + (is_chosen ? cotangent : Floats{}));
      }
    }
  }

 private:
  /// Of the first channel of element (i, j) of a window.
  [[nodiscard]] int64_t offset(int64_t column, int64_t i, int64_t j) const {
    const int64_t at = corner_ + i * shape_.columns.in + shape_.columns.position(column, j);
    return at * shape_.lanes;
  }

  const PoolShape& shape_;
  int64_t corner_;  // of the first window, maybe in the padding
  int64_t first_row_;
  int64_t last_row_;
};

WICK_VECTORS void argmax_pool_in_blocks(const PoolShape& shape,
                                        const void* const* operands,
                                        void* result) {
  const auto* in = static_cast<const float*>(operands[0]);
  auto* out = static_cast<uint8_t*>(result);
  for (int64_t row = 0; row < shape.rows.out; ++row) {
    const RowOfWindows windows(shape, row);
    for (int64_t column = 0; column < shape.columns.out; ++column) {
      for (int64_t lane = 0; lane < shape.lanes; lane += kLanes, out += kLanes)
        windows.find_largest(column, in + lane, out);
    }
  }
}

WICK_VECTORS void max_pool_grad_in_blocks(const PoolShape& shape,
                                          const void* const* operands,
                                          void* result) {
  const auto* numbers = static_cast<const uint8_t*>(operands[0]);
  const auto* cotangents = static_cast<const float*>(operands[1]);
  auto* out = static_cast<float*>(result);
  ZeroedRows<float> zeroed(shape, out);
  for (int64_t row = 0; row < shape.rows.out; ++row) {
    zeroed.up_to_windows_of(row);
    const RowOfWindows windows(shape, row);
    for (int64_t column = 0; column < shape.columns.out; ++column) {
      for (int64_t lane = 0; lane < shape.lanes; lane += kLanes) {
        windows.add_cotangents(column, numbers, cotangents, out + lane);
        numbers += kLanes;
        cotangents += kLanes;
      }
    }
  }
  zeroed.up_to_end();
}

template <typename T>
PlaneFunction plain(ir::OpKind op, DType numbers) {
  const bool in_bytes = numbers == DType::u8;
  if (op == ir::OpKind::max_pool2d)
    return in_bytes ? argmax_pool<T, uint8_t> : argmax_pool<T, int32_t>;
  return in_bytes ? max_pool_grad<T, uint8_t> : max_pool_grad<T, int32_t>;
}

}  // namespace

PlaneFunction chosen_element_function(ir::OpKind op, DType images, DType numbers, int64_t lanes) {
  if (images == DType::f64) return plain<double>(op, numbers);
  if (images != DType::f32) return nullptr;
  const bool in_vectors = numbers == DType::u8 && lanes % kLanes == 0 && have_vectors();
  if (!in_vectors) return plain<float>(op, numbers);
  return op == ir::OpKind::max_pool2d ? argmax_pool_in_blocks : max_pool_grad_in_blocks;
}

}  // namespace wick::runtime
