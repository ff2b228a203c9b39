// Rows of which compiled kernels know more than their ops say. Where results tell of a NaN by other
// ways as well, as a softmax's do, they look for the greatest number alone.

#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "wick/passes/options.h"
#include "wick/tensor/ops.h"
#include "wick/tensor/ops_arithmetic.h"

namespace wick {
namespace {

using Values = std::vector<double>;
using Program = std::function<Tensor(const Tensor&)>;

constexpr int64_t kRows = 7;

/// Rows without, with one and with several NaN, with infinities, and of nothing else, so many
/// times.
Values special_rows(int64_t length, int64_t times) {
  const double kNaN = std::numeric_limits<double>::quiet_NaN();
  const double kInfinity = std::numeric_limits<double>::infinity();
  Values x;
  for (int64_t i = 0; i < kRows * length; ++i)
    x.push_back(static_cast<double>(i * 37 % 101) / 8 - 6);
  const auto at = [&](int64_t row, int64_t i) -> double& {
    return x[static_cast<size_t>(row * length + i % length)];
  };
  at(1, length - 1) = kNaN;
  at(2, 0) = kNaN;
  at(2, 1) = -kNaN;
  at(3, length / 2) = -kInfinity;
  at(4, length / 3) = kInfinity;
  for (int64_t i = 0; i < length; ++i) {
    at(5, i) = -kInfinity;
    at(6, i) = i % 2 == 0 ? kNaN : -kNaN;
  }
  const auto once = std::ssize(x);
  for (int64_t i = once; i < times * once; ++i)
    x.push_back(x[static_cast<size_t>(i - once)]);
  return x;
}

Values results_on(const std::string& backend, const Program& program, const Tensor& x) {
  Options changed = options();
  if (!backend.empty()) changed.backend = backend;
  const ScopedOptions scope(changed);
  return program(x).to_vector<double>();
}

void expect_as_interpreted(const Program& program,
                           const std::vector<DType>& dtypes = {
                               DType::f32, DType::f64, DType::bf16}) {
  for (const DType dtype : dtypes) {
    for (const int64_t length : {2, 3, 5, 16, 21, 61, 64, 100, 500, 4099}) {
      // Many short rows are walked side by side.
      const int64_t times = length < 64 ? 20 : 1;
      const Tensor x = from_vector(special_rows(length, times), {times * kRows, length}).to(dtype);
      materialize(x);
      const Values expected = results_on("interpreter", program, x);
      const Values actual = results_on("", program, x);
      ASSERT_EQ(actual.size(), expected.size());
      const double tolerance = dtype == DType::bf16 ? 0.02 : 1e-5;
      for (size_t i = 0; i < expected.size(); ++i) {
        SCOPED_TRACE(fmt::format("element {} of rows of {} {}", i, length, to_string(dtype)));
        if (std::isnan(expected[i])) {
          ASSERT_TRUE(std::isnan(actual[i])) << actual[i];
        } else if (std::isinf(expected[i])) {
          ASSERT_EQ(actual[i], expected[i]);
        } else {
          ASSERT_NEAR(actual[i], expected[i], tolerance * (1 + std::abs(expected[i])));
        }
      }
    }
  }
}

Tensor greatest(const Tensor& x) {
  return max(x, {-1}, true);
}

Tensor powers(const Tensor& x) {
  return exp(x - greatest(x));
}

Tensor quotients(const Tensor& x) {
  const Tensor e = powers(x);
  return e / sum(e, {-1}, true);
}

TEST(NanInRows, ReachesAllOfASoftmax) {
  expect_as_interpreted(quotients);
  expect_as_interpreted([](const Tensor& x) { return quotients(x * 2 + 1); });
  expect_as_interpreted([](const Tensor& x) { return sum(quotients(x) * x, {-1}); });
}

TEST(NanInRows, ReachesLogarithmsOfSums) {
  expect_as_interpreted(
      [](const Tensor& x) { return x - greatest(x) - log(sum(powers(x), {-1}, true)); });
  expect_as_interpreted(
      [](const Tensor& x) { return log(sum(powers(x), {-1}, true)) + greatest(x); });
}

// Below the greatest is all that tells.

TEST(NanInRows, IsTheGreatest) {
  expect_as_interpreted([](const Tensor& x) { return x - greatest(x); });
  expect_as_interpreted(powers);
  expect_as_interpreted([](const Tensor& x) { return quotients(x) + greatest(x) * 0.5; });
}

TEST(NanInRows, IsNotWhatComparisonsTell) {
  expect_as_interpreted([](const Tensor& x) {
    return where(x == greatest(x), ones_like(x), zeros_like(x)) + 0 * sum(x * 0 + 1, {-1}, true);
  });
  expect_as_interpreted([](const Tensor& x) {
    const Tensor e = powers(x);
    const Tensor chosen = where(e > 0.5, e, zeros_like(e));
    return chosen / (sum(chosen, {-1}, true) + 1);
  });
}

TEST(NanInRows, OfAnotherTensorTellsNothing) {
  expect_as_interpreted([](const Tensor& x) {
    const Tensor others = where(isnan(x), zeros_like(x), x);
    const Tensor e = exp(minimum(others - greatest(x), 0));
    return e / sum(exp(minimum(others, 0)), {-1}, true);
  });
}

TEST(PaddedQuotients, AreNotWhatZerosGive) {
  const Tensor x = from_vector(Values(2 * 17 * 17, 3), {17, 17, 2, 1}).to(DType::f32);
  materialize(x);
  const auto expect_zeros_and_ones = [](const Tensor& padded) {
    for (const double value : padded.to_vector<double>())
      ASSERT_TRUE(value == 0 || value == 1) << value;
  };
  expect_zeros_and_ones(pad(x / x, {0, 0, 2, 0}, {0, 0, 0, 0}));
  expect_zeros_and_ones(pad(x / x, {0, 0, 0, 1}, {0, 1, 0, 0}));
  expect_zeros_and_ones(pad(remainder(x, x), {0, 0, 2, 0}, {0, 0, 0, 0}));
}

// Sums of powers of which one is 1 need no scale to be divided by; others do.

TEST(RowsDividedByTheirSums, AreOfAnySize) {
  for (const double size : {1e-40, 1e-30, 1e33}) {
    const auto shares = [size](const Tensor& x) {
      const Tensor sizes = abs(x) * size;
      return sizes / sum(sizes, {-1}, true);
    };
    // The smallest bf16 have no digits.
    expect_as_interpreted(shares, {DType::f32, DType::f64});
  }
}

}  // namespace
}  // namespace wick
