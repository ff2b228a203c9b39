// Which element of each window is the largest, and the gradient of max pooling, which moves each
// cotangent there.

#include <algorithm>
#include <limits>
#include <type_traits>
#include <vector>

#include "wick/runtime/block_pooling.h"
#include "wick/runtime/pool_rows.h"
#include "wick/runtime/vector_lanes.h"
#include "wick/runtime/zeroed_rows.h"

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
  const int64_t vector = vector_lanes_of_blocks(lanes);
  if (numbers != DType::u8 || vector == 0) return plain<float>(op, numbers);
  return vector == 16 ? block_pooling_by_number<16>(op) : block_pooling_by_number<8>(op);
}

}  // namespace wick::runtime
