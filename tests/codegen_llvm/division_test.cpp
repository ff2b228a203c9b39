// Rows divided by one number each, against the machine's division.

#include <bit>
#include <cmath>
#include <limits>
#include <random>

#include "kernel_builder.h"
#include <gtest/gtest.h>

namespace wick::codegen::test {
namespace {

using Limits = std::numeric_limits<float>;
using Numbers = std::vector<float>;

const Numbers kDivisors = {3.0F,
                           -7.0F,
                           0x1.fffffeP0F,
                           0x1.000002P0F,
                           0x1.6a09e6P-5F,
                           1e-30F,
                           1e30F,
                           0x1P-125F,
                           0x1.fffffeP-126F,
                           0x1.fffffeP124F,
                           0x1P125F,
                           0.0F,
                           -0.0F,
                           Limits::infinity(),
                           -Limits::infinity(),
                           Limits::quiet_NaN(),
                           Limits::denorm_min(),
                           Limits::min(),
                           Limits::max()};

/// x[i] / d[r] at [r, i].
Numbers quotients(Numbers x, Numbers d) {
  const auto rows = static_cast<int64_t>(d.size());
  const auto columns = static_cast<int64_t>(x.size());
  KernelBuilder k("divide");
  const int dividends = k.buffer(DType::f32);
  const int divisors = k.buffer(DType::f32);
  const int results = k.buffer(DType::f32, /*written=*/true);
  k.outer(rows);
  k.vector(k.inner(columns));
  k.loop();
  const int dividend = k.load(dividends, k.at({0, 1}));
  const int divisor = k.load(divisors, k.at({1, 0}));
  const int quotient = k.compute(ir::OpKind::div, DType::f32, {dividend, divisor});
  k.store(results, k.at({columns, 1}), quotient);
  Numbers y(x.size() * d.size());
  void* const buffers[] = {x.data(), d.data(), y.data()};
  compile(k.kernel())(buffers, k.params().data(), 0, rows, 0, 0);
  return y;
}

/// Floats between the two; beyond all for a NaN or a zero of the other sign.
int64_t distance(float a, float b) {
  if (std::isnan(a) && std::isnan(b)) return 0;
  if (std::isnan(a) || std::isnan(b) || std::signbit(a) != std::signbit(b)) return INT64_MAX;
  return std::abs(int64_t{std::bit_cast<int32_t>(a)} - std::bit_cast<int32_t>(b));
}

void expect_close(const Numbers& x, const Numbers& d, int64_t most) {
  const Numbers y = quotients(x, d);
  int wrong = 0;
  for (size_t r = 0; r < d.size(); ++r) {
    for (size_t i = 0; i < x.size(); ++i) {
      const float expected = x[i] / d[r];
      const float actual = y[r * x.size() + i];
      if (distance(expected, actual) <= most || wrong++ > 9) continue;
      ADD_FAILURE() << std::hexfloat << x[i] << " / " << d[r] << " is " << expected << ", not "
                    << actual;
    }
  }
}

TEST(Division, IsExactForEveryMantissa) {
  Numbers x;
  x.reserve(size_t{1} << 23U);
  for (uint32_t mantissa = 0; mantissa < uint32_t{1} << 23U; ++mantissa)
    x.push_back(std::bit_cast<float>(std::bit_cast<uint32_t>(1.0F) + mantissa));
  expect_close(x, {3.0F, 0x1.fffffeP0F, 0x1.000002P0F, 0x1.555556P-3F, 0x1.fffffcP3F}, 0);
}

TEST(Division, IsCloseInTheWholeRange) {
  std::minstd_rand bits(7);
  for (const int exponent : {-149, -140, -127, -126, -102, -100, 0, 99, 126, 127}) {
    Numbers x;
    for (int i = 0; i < 1003; ++i) {
      const float mantissa = 1 + static_cast<float>(bits() % (1U << 23U)) * 0x1P-23F;
      x.push_back(std::ldexp(i % 2 == 0 ? mantissa : -mantissa, exponent));
    }
    expect_close(x, kDivisors, 1);
  }
}

TEST(Division, KnowsSpecialNumbers) {
  for (const float special : {0.0F,
                              -0.0F,
                              Limits::infinity(),
                              -Limits::infinity(),
                              Limits::quiet_NaN(),
                              Limits::denorm_min(),
                              -Limits::max(),
                              Limits::min()}) {
    Numbers x(1003, 1.0F);
    x[37] = special;
    x[1001] = special;
    expect_close(x, kDivisors, 1);
  }
}

TEST(Division, ANumberByItselfIsOne) {
  std::minstd_rand bits(11);
  for (int i = 0; i < 60; ++i) {
    const float number =
        std::ldexp(1 + static_cast<float>(bits() % (1U << 23U)) * 0x1P-23F, 2 * i - 60);
    EXPECT_EQ(quotients(Numbers(33, number), {number}), Numbers(33, 1.0F)) << number;
  }
}

}  // namespace
}  // namespace wick::codegen::test
