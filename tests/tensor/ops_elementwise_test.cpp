#include <cmath>
#include <iterator>
#include <vector>

#include "expect_values.h"
#include <fmt/format.h>

namespace wick {
namespace {

using testing_support::expect_values;
using testing_support::kFloatTolerance;
using testing_support::kInf;
using testing_support::kNan;

TEST(Elementwise, ArithmeticOfTensorsAndNumbers) {
  const Tensor a = tensor({1, 2, 3});
  const Tensor b = tensor({4, -5, 8});

  expect_values(a + b, {3}, {5, -3, 11});
  expect_values(a - b, {3}, {-3, 7, -5});
  expect_values(a * b, {3}, {4, -10, 24});
  expect_values(b / a, {3}, {4, -2.5, 8.0 / 3.0}, kFloatTolerance);
  expect_values(b % a, {3}, {0, 1, 2});
  expect_values(2 * a + 1, {3}, {3, 5, 7});
  expect_values(1 / a, {3}, {1, 0.5, 1.0 / 3.0}, kFloatTolerance);
  expect_values(10 - a, {3}, {9, 8, 7});
  expect_values(-a, {3}, {-1, -2, -3});
}

TEST(Elementwise, CompoundAssignmentRebinds) {
  Tensor x = tensor({1, 2});
  const Tensor before = x;

  x += 1;
  x *= tensor({3, 4});
  x -= 1;
  x /= 2;

  expect_values(x, {2}, {2.5, 5.5});
  expect_values(before, {2}, {1, 2});
}

TEST(Elementwise, Broadcasts) {
  const Tensor column = tensor({1, 2}).reshape({2, 1});
  const Tensor row = tensor({10, 20, 30});

  expect_values(column + row, {2, 3}, {11, 21, 31, 12, 22, 32});
}

TEST(Elementwise, ComparisonsGiveBool) {
  const Tensor a = tensor({1, 2, 3});

  EXPECT_EQ((a < 2).dtype(), DType::bool_);
  expect_values(a < 2, {3}, {1, 0, 0});
  expect_values(a <= 2, {3}, {1, 1, 0});
  expect_values(a > 2, {3}, {0, 0, 1});
  expect_values(a >= 2, {3}, {0, 1, 1});
  expect_values(a == 2, {3}, {0, 1, 0});
  expect_values(a != 2, {3}, {1, 0, 1});
  expect_values(!(a == 2), {3}, {1, 0, 1});
  expect_values((a > 1) & (a < 3), {3}, {0, 1, 0});
  expect_values((a < 2) | (a > 2), {3}, {1, 0, 1});
  expect_values((a < 3) ^ (a > 1), {3}, {1, 0, 1});
}

TEST(Elementwise, Functions) {
  const Tensor x = tensor({-1.5, 0, 0.5, 2});

  expect_values(abs(x), {4}, {1.5, 0, 0.5, 2});
  expect_values(sign(x), {4}, {-1, 0, 1, 1});
  expect_values(sign(tensor({NAN, -0.0F})), {2}, {0, 0});
  expect_values(floor(x), {4}, {-2, 0, 0, 2});
  expect_values(ceil(x), {4}, {-1, 0, 1, 2});
  expect_values(round(x), {4}, {-2, 0, 0, 2});
  expect_values(square(x), {4}, {2.25, 0, 0.25, 4});
  expect_values(clamp(x, -1, 1), {4}, {-1, 0, 0.5, 1});
  expect_values(relu(x), {4}, {0, 0, 0.5, 2});
  expect_values(exp(x), {4}, {0.22313016, 1, 1.6487213, 7.3890561}, kFloatTolerance);
  expect_values(tanh(x), {4}, {-0.90514825, 0, 0.46211716, 0.96402758}, kFloatTolerance);
  expect_values(sigmoid(x), {4}, {0.18242552, 0.5, 0.62245933, 0.88079708}, kFloatTolerance);
  expect_values(erf(x), {4}, {-0.96610515, 0, 0.52049988, 0.99532227}, kFloatTolerance);
  expect_values(sin(x), {4}, {-0.99749499, 0, 0.47942554, 0.90929743}, kFloatTolerance);
  expect_values(cos(x), {4}, {0.07073720, 1, 0.87758256, -0.41614684}, kFloatTolerance);
  expect_values(gelu(x), {4}, {-0.10021080, 0, 0.34573123, 1.95449974}, kFloatTolerance);
  expect_values(silu(x), {4}, {-0.27363828, 0, 0.31122967, 1.76159416}, kFloatTolerance);
  expect_values(sqrt(x), {4}, {kNan, 0, 0.70710678, 1.41421356}, kFloatTolerance);
  expect_values(rsqrt(x), {4}, {kNan, kInf, 1.41421356, 0.70710678}, kFloatTolerance);
  expect_values(log(x), {4}, {kNan, -kInf, -0.69314718, 0.69314718}, kFloatTolerance);
}

TEST(Elementwise, PowTakesAnyExponent) {
  const Tensor x = tensor({1, 2, 4});

  expect_values(pow(x, 2), {3}, {1, 4, 16}, kFloatTolerance);
  expect_values(pow(x, -1), {3}, {1, 0.5, 0.25}, kFloatTolerance);
  expect_values(pow(x, 0.5), {3}, {1, 1.41421356, 2}, kFloatTolerance);
  expect_values(pow(x, 1.5), {3}, {1, 2.82842712, 8}, kFloatTolerance);
  expect_values(pow(x, tensor({0, 1, 2})), {3}, {1, 2, 16}, 1e-5);
}

/// A tensor of exponents has no short form.
TEST(Elementwise, ShortFormsOfPowAreThoseOfAnyExponent) {
  const std::vector<float> numbers = {0,
                                      -0.0F,
                                      INFINITY,
                                      -INFINITY,
                                      NAN,
                                      1,
                                      -1,
                                      -2,
                                      1e-44F,
                                      1e-39F,
                                      3e-30F,
                                      0.3F,
                                      7,
                                      5e18F,
                                      4e25F,
                                      3e38F};
  const Shape shape = {std::ssize(numbers)};
  for (const DType dtype : {DType::f32, DType::f64}) {
    const Tensor x = cast(from_vector(numbers, shape), dtype);
    for (const double exponent : {0.5, -0.5, 1.5, -1.5, -1.0, 2.0, 3.0, 4.0}) {
      const std::vector<double> powers = pow(x, exponent).to_vector<double>();
      const std::vector<double> expected = pow(x, full(shape, exponent, dtype)).to_vector<double>();
      for (size_t i = 0; i < powers.size(); ++i) {
        SCOPED_TRACE(fmt::format("pow({}, {}) of {}", numbers[i], exponent, to_string(dtype)));
        EXPECT_EQ(std::isnan(powers[i]), std::isnan(expected[i]));
        if (std::isnan(powers[i])) continue;
        EXPECT_EQ(std::signbit(powers[i]), std::signbit(expected[i]));
        if (std::isinf(expected[i])) {
          EXPECT_EQ(powers[i], expected[i]);
        } else {
          EXPECT_NEAR(powers[i], expected[i], std::abs(expected[i]) * 3e-7 + 3e-45);
        }
      }
    }
  }
}

TEST(Elementwise, NanFollowsNumpy) {
  const Tensor x = tensor({NAN, -INFINITY, INFINITY, 1});

  expect_values(relu(x), {4}, {kNan, 0, kInf, 1});
  expect_values(maximum(x, 0), {4}, {kNan, 0, kInf, 1});
  expect_values(minimum(0, x), {4}, {kNan, -kInf, 0, 0});
  expect_values(isnan(x), {4}, {1, 0, 0, 0});
  expect_values(x == x, {4}, {0, 1, 1, 1});
}

TEST(Elementwise, WhereTakesNumbersOnEitherSide) {
  const Tensor c = tensor({1, 0}) > 0;

  expect_values(where(c, tensor({5, 6}), tensor({7, 8})), {2}, {5, 8});
  expect_values(where(c, 1, tensor({7, 8})), {2}, {1, 8});
  expect_values(where(c, tensor({5, 6}), 0.25), {2}, {5, 0.25});
  EXPECT_EQ(where(c, 1, 2).dtype(), DType::i64);
  EXPECT_EQ(where(c, 1.0, 2).dtype(), DType::f32);
}

TEST(Elementwise, IntegersKeepTheirDtype) {
  const Tensor i = tensor({-7, 7}).to(DType::i32);

  EXPECT_EQ((i * 3).dtype(), DType::i32);
  expect_values(i % 4, {2}, {1, 3});
}

TEST(Elementwise, DtypesPromote) {
  const Tensor i = tensor({-7, 7}).to(DType::i32);
  const Tensor yes = i == 7;

  EXPECT_EQ((i * 2.0).dtype(), DType::f32);
  EXPECT_EQ((i + i.to(DType::i8)).dtype(), DType::i32);
  EXPECT_EQ((i.to(DType::u8) + i.to(DType::i8)).dtype(), DType::i16);
  EXPECT_EQ((i * zeros({2}, DType::f16)).dtype(), DType::f16);
  EXPECT_EQ((zeros({2}, DType::bf16) + zeros({2}, DType::f16)).dtype(), DType::f32);
  EXPECT_EQ((yes + 1).dtype(), DType::i64);
  expect_values(yes + 1, {2}, {1, 2});
  expect_values(where(yes, i, 0.5), {2}, {0.5, 7});
  expect_values(i < 6.5, {2}, {1, 0});
  // Division is true division, of integers and bools too.
  expect_values(i / 2, {2}, {-3.5, 3.5});
  expect_values(1 / i.to(DType::i64), {2}, {-1.0F / 7, 1.0F / 7});
  expect_values(matmul(i, tensor({0.5, 1})), {}, {3.5});
  expect_values(concat({i, tensor({0.5})}, 0), {3}, {-7, 7, 0.5});
}

TEST(Elementwise, NegativeZeroIsNotZero) {
  const Tensor x = tensor({1});

  EXPECT_EQ((1 / (x * -0.0)).item<float>(), -kInf);
  EXPECT_EQ((1 / (x * 0.0)).item<float>(), kInf);
}

TEST(Elementwise, NarrowDtypesStoreAndCast) {
  const Tensor x = tensor({1.5, -2.25});
  for (const DType dtype : {DType::f64, DType::f16, DType::bf16}) {
    EXPECT_EQ(x.to(dtype).dtype(), dtype);
    expect_values(x.to(dtype).to(DType::f32), {2}, {1.5, -2.25});
  }
  for (const DType dtype : {DType::i8, DType::i16, DType::i32, DType::i64}) {
    expect_values(x.to(dtype), {2}, {1, -2});
  }
  expect_values(x.to(DType::bool_), {2}, {1, 1});
}

}  // namespace
}  // namespace wick
