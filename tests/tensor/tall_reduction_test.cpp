// Matrices of many rows and few columns, reduced over their rows.

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "expect_values.h"

namespace wick {
namespace {

using testing_support::expect_values;

/// Small integers, whose sums are exact in any order.
std::vector<float> small_integers(int64_t count) {
  std::vector<float> values(static_cast<size_t>(count));
  for (int64_t i = 0; i < count; ++i)
    values[static_cast<size_t>(i)] = static_cast<float>(i * 37 % 101 - 50);
  return values;
}

std::vector<double> column_sums(const std::vector<float>& values, int64_t columns) {
  std::vector<double> sums(static_cast<size_t>(columns));
  for (size_t i = 0; i < values.size(); ++i)
    sums[i % sums.size()] += values[i];
  return sums;
}

TEST(TallReduction, SumsColumns) {
  for (const int64_t columns : {2, 3, 5, 7, 8, 9}) {
    for (const int64_t rows : {65536, 65537, 65599}) {
      const std::vector<float> values = small_integers(rows * columns);
      const Tensor x = from_span<float>(values, {rows, columns});
      const std::vector<double> sums = column_sums(values, columns);

      expect_values(sum(x, {0}), {columns}, sums);
      expect_values(sum(x, {0}, true), {1, columns}, sums);
      expect_values(sum(x.to(DType::f64), {0}), {columns}, sums);
      expect_values(sum(x.to(DType::i64), {0}), {columns}, sums);
    }
  }
}

TEST(TallReduction, SumsWhatOpsMakeOfSeveral) {
  constexpr int64_t kRows = 70001;
  const std::vector<float> values = small_integers(kRows * 3);
  std::vector<float> expected = values;
  for (float& value : expected)
    value = value < 0 ? 2 : value + value;
  const Tensor x = from_span<float>(values, {kRows, 3});
  const Tensor y = where(x < 0, 2, x + x);

  expect_values(sum(y, {0}), {3}, column_sums(expected, 3));
}

TEST(TallReduction, TakesSeveralAxes) {
  constexpr int64_t kRows = 331;
  const std::vector<float> values = small_integers(kRows * kRows * 6);
  const Tensor x = from_span<float>(values, {kRows, kRows, 2, 3});

  expect_values(sum(x, {0, 1}), {2, 3}, column_sums(values, 6));
}

TEST(TallReduction, FindsExtremesInTheLastRowsAndKeepsNan) {
  constexpr int64_t kRows = 65599;
  std::vector<float> values = small_integers(kRows * 3);
  values[values.size() - 3] = 1000;
  values[values.size() - 2] = -1000;
  values[values.size() - 1] = std::numeric_limits<float>::quiet_NaN();
  const Tensor x = from_span<float>(values, {kRows, 3});
  const double nan = std::nan("");

  expect_values(max(x, {0}), {3}, {1000, 50, nan});
  expect_values(min(x, {0}), {3}, {-50, -1000, nan});
}

}  // namespace
}  // namespace wick
