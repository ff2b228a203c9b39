#pragma once

// Walks over the windows of one row of a pool. Internal to runtime/.

#include <cstdint>
#include <type_traits>

#include "wick/runtime/pool_shape.h"

namespace wick::runtime {

/// Calls visit(number, start, first, last) for each window element of output row `row` that lies
/// inside the input for output columns [first, last): column x reads input column
/// start + x * stride. Elements of a window are numbered row by row.
template <typename Visit>
void for_each_element_of_row(const PoolShape& shape, int64_t row, const Visit& visit) {
  for (int64_t i = shape.rows.first_element(row); i < shape.rows.last_element(row); ++i) {
    const int64_t start = shape.rows.position(row, i) * shape.columns.in;
    for (int64_t j = 0; j < shape.columns.kernel; ++j) {
      const int64_t first = shape.columns.first_output(j);
      const int64_t last = shape.columns.last_output(j);
      const int64_t number = i * shape.columns.kernel + j;
      if (first < last) visit(number, start - shape.columns.padding + j, first, last);
    }
  }
}

/// Calls body(output element, input element, its number in the window) for every element of an
/// output row and every input element of its window that lies inside. Stride and lanes are
/// constants where they are common, so that the loop vectorizes.
template <typename Body>
void for_each_pair_of_row(const PoolShape& shape, int64_t row, const Body& body) {
  const auto walk = [&](auto stride, auto lanes) {
    for_each_element_of_row(
        shape, row, [&](int64_t number, int64_t start, int64_t first, int64_t last) {
          for (int64_t x = first; x < last; ++x) {
            const int64_t from = (start + x * stride) * lanes;
            for (int64_t lane = 0; lane < lanes; ++lane)
              body(x * lanes + lane, from + lane, number);
          }
        });
  };
  using One = std::integral_constant<int64_t, 1>;
  const int64_t stride = shape.columns.stride;
  if (shape.lanes == 8) return walk(stride, std::integral_constant<int64_t, 8>());
  if (shape.lanes == 16) return walk(stride, std::integral_constant<int64_t, 16>());
  if (shape.lanes != 1) return walk(stride, shape.lanes);
  if (stride == 1) return walk(One(), One());
  if (stride == 2) return walk(std::integral_constant<int64_t, 2>(), One());
  walk(stride, One());
}

/// Calls body(column, lane, output element) for each output of a row.
template <typename Body>
void for_each_of_row(const PoolShape& shape, const Body& body) {
  for (int64_t column = 0, x = 0; column < shape.columns.out; ++column) {
    for (int64_t lane = 0; lane < shape.lanes; ++lane, ++x)
      body(column, lane, x);
  }
}

}  // namespace wick::runtime
