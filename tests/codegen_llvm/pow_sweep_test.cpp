// pow against the C library in long double.

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <type_traits>
#include <vector>

#include "kernel_builder.h"
#include "support/distance_in_ulp.h"
#include <gtest/gtest.h>

namespace wick::codegen::test {
namespace {

template <typename T>
struct PowOperands {
  std::vector<T> x;
  std::vector<T> y;

  void add(T base, T exponent) {
    x.push_back(base);
    y.push_back(exponent);
  }
};

template <typename T>
std::vector<T> powers(PowOperands<T>& operands) {
  constexpr DType kType = dtype_of<T>();
  const auto count = static_cast<int64_t>(operands.x.size());
  KernelBuilder k = elementwise(ir::OpKind::pow, {kType, kType}, kType, count);
  std::vector<T> out(operands.x.size());
  void* buffers[] = {operands.x.data(), operands.y.data(), out.data()};
  compile(k.kernel())(buffers, k.params().data(), 0, 1, 0, count);
  return out;
}

/// Infinities, zeros and NaN, signs included, are as they should be, other powers within so many
/// units in the last place, and those that are numbers of the type exact.
template <typename T>
void expect_within(double most_ulp, PowOperands<T> operands) {
  const std::vector<T> actual = powers(operands);
  for (size_t i = 0; i < actual.size(); ++i) {
    const long double exact =
        std::pow(static_cast<long double>(operands.x[i]), static_cast<long double>(operands.y[i]));
    const auto rounded = static_cast<T>(exact);
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
    ASSERT_LE(testing_support::distance_in_ulp(actual[i], exact), most_ulp) << text();
  }
}

constexpr size_t kSome = 200000;

template <typename T>
class PowSweep : public testing::Test {
 public:
  using Bits = std::conditional_t<std::is_same_v<T, float>, uint32_t, uint64_t>;
  static constexpr bool kWide = std::is_same_v<T, double>;
  static constexpr double kMostUlp = kWide ? 0.7 : 1.2;     // of moderate numbers
  static constexpr double kMostUlpOfAny = kWide ? 1.5 : 2;  // to the ends of the range
};

using Floats = testing::Types<float, double>;
TYPED_TEST_SUITE(PowSweep, Floats);

TYPED_TEST(PowSweep, IsWithinAnUlpForModerateNumbers) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<TypeParam> base(0, 10);
  std::uniform_real_distribution<TypeParam> exponent(-10, 10);
  PowOperands<TypeParam> operands;
  for (size_t i = 0; i < kSome; ++i)
    operands.add(base(random), exponent(random));
  expect_within(TestFixture::kMostUlp, std::move(operands));
}

/// From numbers of any size and from those close to 1.
TYPED_TEST(PowSweep, IsWithinItsBoundUpToTheEndsOfTheRange) {
  using Limits = std::numeric_limits<TypeParam>;
  constexpr int kMostExponent = Limits::max_exponent + 36;
  std::mt19937_64 random(2);
  std::uniform_real_distribution<TypeParam> share(-1, 1);
  PowOperands<TypeParam> operands;
  for (size_t i = 0; i < kSome; ++i) {
    const auto any = static_cast<int>(random() % (2 * kMostExponent)) - kMostExponent;
    const auto digits = static_cast<int>(random() % (Limits::digits - 3));
    const TypeParam x = i % 2 == 0 ? std::ldexp(TypeParam{1.25} + share(random) / 2, any)
                                   : 1 + std::ldexp(share(random), -digits - 1);
    const TypeParam log = std::abs(std::log2(x));
    const bool has_log = log > 0 && std::isfinite(log);
    operands.add(x, has_log ? share(random) * (kMostExponent + 20) / log : 1);
  }
  expect_within(TestFixture::kMostUlpOfAny, std::move(operands));
}

TYPED_TEST(PowSweep, TakesAnyBits) {
  std::mt19937_64 random(3);
  const auto any = [&] {
    return std::bit_cast<TypeParam>(static_cast<typename TestFixture::Bits>(random()));
  };
  PowOperands<TypeParam> operands;
  for (size_t i = 0; i < kSome; ++i) {
    const TypeParam x = any();
    operands.add(x, any());
  }
  expect_within(TestFixture::kMostUlpOfAny, std::move(operands));
}

TYPED_TEST(PowSweep, IsExactForPowersOfIntegersThatAreIntegers) {
  PowOperands<TypeParam> operands;
  for (int base = -40; base <= 40; ++base) {
    for (int exponent = -30; exponent <= 30; ++exponent)
      operands.add(base, exponent);
  }
  expect_within(TestFixture::kWide ? 0.6 : 1.5, std::move(operands));
}

/// Beside usual operands, and with none.
TYPED_TEST(PowSweep, TreatsSpecialValuesAsTheCLibraryDoes) {
  using Limits = std::numeric_limits<TypeParam>;
  constexpr TypeParam kInfinity = Limits::infinity();
  constexpr TypeParam kTiny = Limits::denorm_min();
  constexpr TypeParam kLarge = Limits::max() / 2;
  const TypeParam whole = std::ldexp(TypeParam{1}, Limits::digits);  // the ones below may be odd
  const std::vector<TypeParam> values = {0.0,
                                         -0.0,
                                         1,
                                         -1,
                                         kInfinity,
                                         -kInfinity,
                                         0.5,
                                         -0.5,
                                         2,
                                         -2,
                                         3,
                                         -3,
                                         2.5,
                                         -2.5,
                                         kTiny,
                                         -kTiny,
                                         whole,
                                         kLarge,
                                         -kLarge,
                                         Limits::min(),
                                         whole - 1,
                                         1 - whole,
                                         whole / 2 + 1,
                                         std::nan("")};
  PowOperands<TypeParam> operands;
  for (const TypeParam x : values) {
    for (const TypeParam y : values)
      operands.add(x, y);
  }
  expect_within(TestFixture::kMostUlpOfAny, std::move(operands));
  for (const TypeParam x : {TypeParam{0}, TypeParam{-3}, kInfinity}) {
    PowOperands<TypeParam> special;
    for (const TypeParam y : values)
      special.add(x, y);
    expect_within(TestFixture::kMostUlpOfAny, std::move(special));
  }
}

}  // namespace
}  // namespace wick::codegen::test
