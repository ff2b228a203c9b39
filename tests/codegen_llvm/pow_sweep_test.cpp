// pow of f64 against the C library in long double.

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "kernel_builder.h"
#include <gtest/gtest.h>

namespace wick::codegen::test {
namespace {

struct PowOperands {
  std::vector<double> x;
  std::vector<double> y;

  void add(double base, double exponent) {
    x.push_back(base);
    y.push_back(exponent);
  }
};

std::vector<double> powers(PowOperands& operands) {
  const auto count = static_cast<int64_t>(operands.x.size());
  KernelBuilder k = elementwise(ir::OpKind::pow, {DType::f64, DType::f64}, DType::f64, count);
  std::vector<double> out(operands.x.size());
  void* buffers[] = {operands.x.data(), operands.y.data(), out.data()};
  compile(k.kernel())(buffers, k.params().data(), 0, 1, 0, count);
  return out;
}

/// Infinities, zeros and NaN, signs included, are as they should be, other powers within so many
/// units in the last place, and those that are doubles exact.
void expect_within(double most_ulp, PowOperands operands) {
  const std::vector<double> actual = powers(operands);
  for (size_t i = 0; i < actual.size(); ++i) {
    const long double exact =
        std::pow(static_cast<long double>(operands.x[i]), static_cast<long double>(operands.y[i]));
    const auto rounded = static_cast<double>(exact);
    const auto text = [&] {
      return testing::Message() << std::hexfloat << "pow(" << operands.x[i] << ", " << operands.y[i]
                                << ") is " << actual[i] << ", should be " << rounded;
    };
    if (std::isnan(exact)) {
      ASSERT_TRUE(std::isnan(actual[i])) << text();
      continue;
    }
    ASSERT_EQ(std::signbit(actual[i]), std::signbit(rounded)) << text();
    if (std::isinf(rounded) || exact == static_cast<long double>(rounded)) {
      ASSERT_EQ(actual[i], rounded) << text();
      continue;
    }
    const int place = std::max(rounded == 0 ? -1074 : std::ilogb(rounded) - 52, -1074);
    ASSERT_LE(std::abs(std::ldexp(static_cast<long double>(actual[i]) - exact, -place)), most_ulp)
        << text();
  }
}

constexpr size_t kSome = 200000;

TEST(PowSweep, IsWithinAnUlpForModerateNumbers) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> base(0, 10);
  std::uniform_real_distribution<double> exponent(-10, 10);
  PowOperands operands;
  for (size_t i = 0; i < kSome; ++i)
    operands.add(base(random), exponent(random));
  expect_within(0.7, std::move(operands));
}

/// To the ends of the range, from numbers of any size and from those close to 1.
TEST(PowSweep, IsWithinAnUlpAndAHalfUpToTheEndsOfTheRange) {
  std::mt19937_64 random(2);
  std::uniform_real_distribution<double> share(-1, 1);
  PowOperands operands;
  for (size_t i = 0; i < kSome; ++i) {
    const auto any = static_cast<int>(random() % 2100) - 1060;
    const double x = i % 2 == 0
                         ? std::ldexp(1.25 + share(random) / 2, any)
                         : 1 + std::ldexp(share(random), -static_cast<int>(random() % 50) - 1);
    const double log = std::abs(std::log2(x));
    operands.add(x, log == 0 ? 1 : share(random) * 1080 / log);
  }
  expect_within(1.5, std::move(operands));
}

TEST(PowSweep, TakesAnyBits) {
  std::mt19937_64 random(3);
  PowOperands operands;
  for (size_t i = 0; i < kSome; ++i)
    operands.add(std::bit_cast<double>(random()), std::bit_cast<double>(random()));
  expect_within(1.5, std::move(operands));
}

TEST(PowSweep, IsExactForPowersOfIntegersThatAreIntegers) {
  PowOperands operands;
  for (int base = -40; base <= 40; ++base) {
    for (int exponent = -30; exponent <= 30; ++exponent)
      operands.add(base, exponent);
  }
  expect_within(0.6, std::move(operands));
}

TEST(PowSweep, TreatsSpecialValuesAsTheCLibraryDoes) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  constexpr double kTiny = std::numeric_limits<double>::denorm_min();
  const std::vector<double> values = {
      0.0,   -0.0,   1,      -1,     kInfinity, -kInfinity, 0.5,          -0.5,
      2,     -2,     3,      -3,     2.5,       -2.5,       kTiny,        -kTiny,
      1e308, -1e308, 1e-308, 0x1p53, 1e300,     -1e300,     0x1.8p52 + 1, std::nan("")};
  PowOperands operands;
  for (const double x : values) {
    for (const double y : values)
      operands.add(x, y);
  }
  expect_within(0.7, std::move(operands));
}

}  // namespace
}  // namespace wick::codegen::test
