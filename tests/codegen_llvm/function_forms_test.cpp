// Functions of which a kernel needs less than they can do, or several at once: exp of what is never
// positive, tanh where all that is asked for is 1 more than it, 1 less than its square or its
// product with a sigmoid, and functions of f64 that are rounded to f32.

#include <cmath>
#include <functional>
#include <limits>
#include <utility>

#include "kernel_builder.h"
#include <gtest/gtest.h>

namespace wick::codegen::test {
namespace {

using ir::OpKind;
using Numbers = std::vector<float>;

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

int one(KernelBuilder& k) {
  return k.constant(Literal::scalar(DType::f32, 1));
}

int add_one(KernelBuilder& k, int value) {
  return k.compute(OpKind::add, DType::f32, {value, one(k)});
}

int one_minus_square(KernelBuilder& k, int value) {
  const int square = k.compute(OpKind::mul, DType::f32, {value, value});
  return k.compute(OpKind::sub, DType::f32, {one(k), square});
}

using Body = std::function<std::vector<int>(KernelBuilder&, int)>;

/// The results that `body`, given the builder and x, returns, each for all x.
std::vector<Numbers> results_of(Numbers x, const Body& body) {
  const auto count = static_cast<int64_t>(x.size());
  KernelBuilder k("function");
  const int operand = k.buffer(DType::f32);
  k.vector(k.outer(count));
  k.straight();
  const std::vector<int> results = body(k, k.load(operand, k.at({1})));
  std::vector<Numbers> values(results.size(), Numbers(x.size()));
  std::vector<void*> buffers{x.data()};
  for (size_t i = 0; i < results.size(); ++i) {
    k.store(k.buffer(DType::f32, /*written=*/true), k.at({1}), results[i]);
    buffers.push_back(values[i].data());
  }
  compile(k.kernel())(buffers.data(), k.params().data(), 0, 1, 0, count);
  return values;
}

/// The same, given tanh(x).
std::vector<Numbers> results_of_tanh(const Numbers& x, const Body& body) {
  return results_of(x, [&](KernelBuilder& k, int operand) {
    return body(k, k.compute(OpKind::tanh, DType::f32, {operand}));
  });
}

double units(float value, double exact) {
  return std::abs(value - exact) / std::ldexp(1.0, std::ilogb(exact) - 23);
}

Numbers numbers_between(float low, float high) {
  Numbers x;
  for (int i = 0; i <= 100003; ++i)
    x.push_back(low + (high - low) * static_cast<float>(i) / 100003);
  return x;
}

double most_units(float x) {
  return x >= 0 ? 1.6 : 2.5 - 3 * x;
}

TEST(OnePlusTanh, KeepsItsDigits) {
  const Numbers x = numbers_between(-43, 43);
  const Numbers y = results_of_tanh(
      x, [](KernelBuilder& k, int tanh) { return std::vector<int>{add_one(k, tanh)}; })[0];
  for (size_t i = 0; i < x.size(); ++i) {
    const double exact = 2 / (1 + std::exp(-2 * static_cast<double>(x[i])));
    ASSERT_LE(units(y[i], exact), most_units(x[i])) << x[i];
  }
}

TEST(OnePlusTanh, WithTheSquareToo) {
  const Numbers x = numbers_between(-15, 15);
  const std::vector<Numbers> y = results_of_tanh(x, [](KernelBuilder& k, int tanh) {
    return std::vector<int>{add_one(k, tanh), one_minus_square(k, tanh)};
  });
  for (size_t i = 0; i < x.size(); ++i) {
    const double power = std::exp(-2 * static_cast<double>(x[i]));
    ASSERT_LE(units(y[0][i], 2 / (1 + power)), most_units(x[i])) << x[i];
    // Where tanh is 1 the difference is 2 less a sum that has as many digits.
    ASSERT_NEAR(y[1][i], 4 * power / ((1 + power) * (1 + power)), 0x1P-21) << x[i];
  }
}

TEST(OnePlusTanh, KnowsSpecialNumbers) {
  const Numbers x{kInfinity, -kInfinity, kNaN, 0.0F, -0.0F, 1e30F, -1e30F, 60.0F, -60.0F};
  const std::vector<Numbers> y = results_of_tanh(x, [](KernelBuilder& k, int tanh) {
    return std::vector<int>{add_one(k, tanh), one_minus_square(k, tanh)};
  });
  const Numbers sums{2, 0, kNaN, 1, 1, 2, 0, 2, 0};
  const Numbers differences{0, 0, kNaN, 1, 1, 0, 0, 0, 0};
  for (size_t i = 0; i < x.size(); ++i) {
    const auto expect = [&](float actual, float expected) {
      if (std::isnan(expected)) {
        EXPECT_TRUE(std::isnan(actual)) << x[i];
      } else {
        EXPECT_NEAR(actual, expected, 1e-30) << x[i];
      }
    };
    expect(y[0][i], sums[i]);
    expect(y[1][i], differences[i]);
  }
}

/// As GELU takes it, the half on either side; `factor`: another number than a half.
int gate(KernelBuilder& k, int x, int sum, bool swaps, double factor = 0.5) {
  const int half = k.constant(Literal::scalar(DType::f32, factor));
  const int halved = swaps ? k.compute(OpKind::mul, DType::f32, {half, x})
                           : k.compute(OpKind::mul, DType::f32, {x, half});
  return swaps ? k.compute(OpKind::mul, DType::f32, {sum, halved})
               : k.compute(OpKind::mul, DType::f32, {halved, sum});
}

int tanh_of(KernelBuilder& k, int x) {
  return k.compute(OpKind::tanh, DType::f32, {x});
}

TEST(OnePlusTanh, TimesHalfOfANumber) {
  const Numbers x = numbers_between(-43, 43);
  for (const double factor : {0.5, 0.25}) {
    for (const bool swaps : {false, true}) {
      const Numbers y = results_of(x, [&](KernelBuilder& k, int x) {
        return std::vector<int>{gate(k, x, add_one(k, tanh_of(k, x)), swaps, factor)};
      })[0];
      for (size_t i = 0; i < x.size(); ++i) {
        const auto number = static_cast<double>(x[i]);
        const double exact = 2 * factor * number / (1 + std::exp(-2 * number));
        ASSERT_LE(units(y[i], exact), most_units(x[i]) + 1) << x[i];
      }
    }
  }
}

TEST(OnePlusTanh, TimesHalfOfSpecialNumbers) {
  const Numbers x{kInfinity, kNaN, 0.0F, -0.0F, 1e30F, 60.0F, -60.0F};
  const Numbers y = results_of(x, [&](KernelBuilder& k, int x) {
    return std::vector<int>{gate(k, x, add_one(k, tanh_of(k, x)), false)};
  })[0];
  EXPECT_EQ(y[0], kInfinity);
  EXPECT_TRUE(std::isnan(y[1]));
  EXPECT_EQ(y[2], 0);
  EXPECT_TRUE(std::signbit(y[3]));
  EXPECT_EQ(y[4], 1e30F);
  EXPECT_EQ(y[5], 60);
  EXPECT_NEAR(y[6], 0, 1e-30);
}

/// The sum is a sum, and the half a half, where something else reads them too.
TEST(OnePlusTanh, OtherReadersOfAGateSeeItsParts) {
  const Numbers x = numbers_between(-3, 3);
  const std::vector<Numbers> y = results_of(x, [&](KernelBuilder& k, int x) {
    const int sum = add_one(k, tanh_of(k, x));
    return std::vector<int>{gate(k, x, sum, false), sum};
  });
  const std::vector<Numbers> z = results_of(x, [&](KernelBuilder& k, int x) {
    const int half =
        k.compute(OpKind::mul, DType::f32, {x, k.constant(Literal::scalar(DType::f32, 0.5))});
    const int sum = add_one(k, tanh_of(k, x));
    return std::vector<int>{k.compute(OpKind::mul, DType::f32, {half, sum}), half};
  });
  for (size_t i = 0; i < x.size(); ++i) {
    const double sum = 1 + std::tanh(static_cast<double>(x[i]));
    ASSERT_NEAR(y[0][i], 0.5 * x[i] * sum, 0x1P-20) << x[i];
    ASSERT_NEAR(y[1][i], sum, 0x1P-21) << x[i];
    ASSERT_NEAR(z[0][i], 0.5 * x[i] * sum, 0x1P-20) << x[i];
    ASSERT_EQ(z[1][i], 0.5F * x[i]);
  }
}

/// The product of the tanh and the sigmoid of multiples of x, on either side of it.
int gated_tanh(KernelBuilder& k, int x, double of_tanh, double of_sigmoid, bool swaps = false) {
  const auto times = [&](double factor) {
    return k.compute(OpKind::mul, DType::f32, {x, k.constant(Literal::scalar(DType::f32, factor))});
  };
  const int tanh = tanh_of(k, times(of_tanh));
  const int sigmoid = k.compute(OpKind::sigmoid, DType::f32, {times(of_sigmoid)});
  return swaps ? k.compute(OpKind::mul, DType::f32, {sigmoid, tanh})
               : k.compute(OpKind::mul, DType::f32, {tanh, sigmoid});
}

TEST(GatedTanh, KeepsItsDigits) {
  constexpr double kTiny = 0x1p-100;
  for (const auto& [of_tanh, of_sigmoid] : {std::pair(1.0, 1.0),
                                            {1.0, -1.0},
                                            {0.125, -1.0},
                                            {-2.0, 0.5},
                                            {kTiny, 1.0},
                                            {kTiny, -0.25}}) {
    const Numbers x = numbers_between(-85, 85);
    const Numbers y = results_of(x, [&](KernelBuilder& k, int x) {
      return std::vector<int>{gated_tanh(k, x, of_tanh, of_sigmoid, of_sigmoid < 0)};
    })[0];
    for (size_t i = 0; i < x.size(); ++i) {
      const auto number = static_cast<double>(x[i]);
      const double exact = std::tanh(of_tanh * number) / (1 + std::exp(-of_sigmoid * number));
      if (std::abs(exact) < std::numeric_limits<float>::min()) {
        ASSERT_NEAR(y[i], exact, 0x1p-148) << x[i];
      } else {
        ASSERT_LE(units(y[i], exact), 3.5) << x[i];
      }
    }
  }
}

TEST(GatedTanh, KnowsSpecialNumbers) {
  const Numbers x{kInfinity, -kInfinity, kNaN, 0.0F, -0.0F, 100.0F, -100.0F};
  const Numbers y = results_of(
      x, [](KernelBuilder& k, int x) { return std::vector<int>{gated_tanh(k, x, 1, 1)}; })[0];
  EXPECT_EQ(y[0], 1);
  EXPECT_EQ(y[1], 0);
  EXPECT_TRUE(std::signbit(y[1]));
  EXPECT_TRUE(std::isnan(y[2]));
  EXPECT_EQ(y[3], 0);
  EXPECT_FALSE(std::signbit(y[3]));
  EXPECT_EQ(y[4], 0);
  EXPECT_TRUE(std::signbit(y[4]));
  EXPECT_EQ(y[5], 1);
  EXPECT_NEAR(y[6], 0, 0x1p-140);
}

/// Each is a number of its own where something else reads it too.
TEST(GatedTanh, OtherReadersSeeItsParts) {
  const Numbers x = numbers_between(-3, 3);
  const std::vector<Numbers> y = results_of(x, [&](KernelBuilder& k, int x) {
    const int tanh = tanh_of(k, x);
    const int sigmoid = k.compute(OpKind::sigmoid, DType::f32, {x});
    return std::vector<int>{k.compute(OpKind::mul, DType::f32, {tanh, sigmoid}), tanh, sigmoid};
  });
  for (size_t i = 0; i < x.size(); ++i)
    ASSERT_EQ(y[0][i], y[1][i] * y[2][i]) << x[i];
}

/// What else reads tanh or its square gets those.
TEST(OnePlusTanh, OtherReadersSeeTanh) {
  const Numbers x = numbers_between(-3, 3);
  using Results = std::vector<int>;
  const auto as_is = [](KernelBuilder& k, int tanh) { return Results{add_one(k, tanh), tanh}; };
  const auto squared = [](KernelBuilder& k, int tanh) {
    return Results{add_one(k, tanh), k.compute(OpKind::mul, DType::f32, {tanh, tanh})};
  };
  const auto less_one = [](KernelBuilder& k, int tanh) {
    const int square = k.compute(OpKind::mul, DType::f32, {tanh, tanh});
    return Results{add_one(k, tanh), k.compute(OpKind::sub, DType::f32, {square, one(k)})};
  };
  const auto times_two = [](KernelBuilder& k, int tanh) {
    const int two = k.constant(Literal::scalar(DType::f32, 2));
    return Results{add_one(k, tanh), k.compute(OpKind::mul, DType::f32, {tanh, two})};
  };
  const auto expect = [&](auto body, double (*exact)(double)) {
    const Numbers y = results_of_tanh(x, body)[1];
    for (size_t i = 0; i < x.size(); ++i)
      ASSERT_NEAR(y[i], exact(std::tanh(static_cast<double>(x[i]))), 0x1P-21) << x[i];
  };
  expect(as_is, [](double t) { return t; });
  expect(squared, [](double t) { return t * t; });
  expect(less_one, [](double t) { return t * t - 1; });
  expect(times_two, [](double t) { return 2 * t; });
}

/// exp(x - greatest of y) for each row.
Numbers powers_of_differences(Numbers x, Numbers y, int64_t rows, bool of_itself) {
  const auto columns = static_cast<int64_t>(x.size()) / rows;
  KernelBuilder k("softmax");
  const int of_x = k.buffer(DType::f32);
  const int of_y = k.buffer(DType::f32);
  const int out = k.buffer(DType::f32, /*written=*/true);
  k.outer(rows);
  k.vector(k.inner(columns));
  const Affine at = k.at({columns, 1});
  k.loop();
  const int greatest =
      k.accumulate(OpKind::reduce_max, DType::f32, {k.load(of_itself ? of_x : of_y, at)});
  k.loop();
  const int difference = k.compute(OpKind::sub, DType::f32, {k.load(of_x, at), greatest});
  k.store(out, at, k.compute(OpKind::exp, DType::f32, {difference}));
  Numbers result(x.size());
  void* const buffers[] = {x.data(), y.data(), result.data()};
  compile(k.kernel())(buffers, k.params().data(), 0, rows, 0, 0);
  return result;
}

TEST(NeverPositiveExp, OfARowLessItsGreatest) {
  constexpr int64_t kColumns = 61;
  Numbers x;
  for (int i = 0; i < 4 * kColumns; ++i)
    x.push_back(static_cast<float>(i * 37 % 101) * 1.25F - 110);
  x[3] = -kInfinity;
  x[5] = -1e30F;
  x[kColumns + 2] = kNaN;
  x[2 * kColumns + 9] = kInfinity;
  std::fill(x.begin() + 3 * kColumns, x.end(), -kInfinity);
  const Numbers y = powers_of_differences(x, x, 4, true);
  for (int64_t r = 0; r < 4; ++r) {
    float greatest = -kInfinity;
    for (int64_t i = 0; i < kColumns; ++i) {
      const float value = x[static_cast<size_t>(r * kColumns + i)];
      greatest = std::isnan(value) || std::isnan(greatest) ? kNaN : std::max(greatest, value);
    }
    for (int64_t i = 0; i < kColumns; ++i) {
      const auto at = static_cast<size_t>(r * kColumns + i);
      const double exact = std::exp(static_cast<double>(x[at] - greatest));
      if (std::isnan(exact)) {
        ASSERT_TRUE(std::isnan(y[at])) << x[at] << " less " << greatest;
      } else {
        ASSERT_NEAR(y[at], exact, 0x1P-23 * exact + 0x1P-149) << x[at] << " less " << greatest;
      }
    }
  }
}

TEST(NeverPositiveExp, NotOfOneLessTheGreatestOfAnother) {
  Numbers x;
  for (int i = 0; i < 64; ++i)
    x.push_back(std::ldexp(1.0F + static_cast<float>(i) / 64, 7 + i));
  for (const float value : powers_of_differences(x, Numbers(64, 0.0F), 1, false))
    EXPECT_EQ(value, kInfinity);
}

int times(KernelBuilder& k, int value, double factor) {
  return k.compute(
      OpKind::mul, DType::f64, {value, k.constant(Literal::scalar(DType::f64, factor))});
}

int wide(KernelBuilder& k, OpKind op, int value) {
  return k.compute(op, DType::f64, {k.cast(DType::f64, value)});
}

Numbers logs(const Numbers& x, double scale) {
  return results_of(x, [&](KernelBuilder& k, int value) {
    return std::vector<int>{k.cast(DType::f32, times(k, wide(k, OpKind::log, value), scale))};
  })[0];
}

Numbers positive_numbers() {
  Numbers x = numbers_between(0.3F, 3.1F);
  for (int i = 0; i < 20000; ++i)
    x.push_back(std::ldexp(1.0F + static_cast<float>(i * 37 % 1009) / 1009, i % 276 - 149));
  return x;
}

TEST(ScaledLog, IsWithinAUnit) {
  const Numbers x = positive_numbers();
  for (const double scale : {1 / std::log(2.0), 1 / std::log(10.0), 1.0, 31.7, 0.0123}) {
    const Numbers y = logs(x, scale);
    for (size_t i = 0; i < x.size(); ++i) {
      const double exact = std::log(static_cast<double>(x[i])) * scale;
      if (x[i] == 1) {
        ASSERT_EQ(y[i], 0);
      } else {
        ASSERT_LE(units(y[i], exact), 1.6) << x[i] << " times " << scale;
      }
    }
  }
}

TEST(ScaledLog, IsExactAtPowers) {
  Numbers x;
  for (int i = -149; i < 128; ++i)
    x.push_back(std::ldexp(1.0F, i));
  const Numbers of_two = logs(x, 1 / std::log(2.0));
  for (size_t i = 0; i < x.size(); ++i)
    EXPECT_EQ(of_two[i], static_cast<float>(i) - 149);
  const Numbers tens{1, 10, 100, 1e3F, 1e4F, 1e5F, 1e6F, 1e7F, 1e8F, 1e9F, 1e10F};
  const Numbers of_ten = logs(tens, 1 / std::log(10.0));
  for (size_t i = 0; i < tens.size(); ++i)
    EXPECT_EQ(of_ten[i], static_cast<float>(i));
}

TEST(ScaledLog, KnowsSpecialNumbers) {
  const Numbers x{0, -0.0F, kInfinity, -1, -kInfinity, kNaN};
  for (const double scale : {1 / std::log(2.0), 1 / std::log(10.0), 1.0}) {
    const Numbers y = logs(x, scale);
    EXPECT_EQ(y[0], -kInfinity);
    EXPECT_EQ(y[1], -kInfinity);
    EXPECT_EQ(y[2], kInfinity);
    for (size_t i = 3; i < x.size(); ++i)
      EXPECT_TRUE(std::isnan(y[i])) << x[i];
  }
}

/// Each of these needs the logarithm's digits, or is of another sign than a base's.
TEST(ScaledLog, NotOfWhatElseIsRead) {
  const Numbers x = numbers_between(0.5F, 2);
  const double scale = 1 / std::log(2.0);
  const auto rest_of = [&](KernelBuilder& k, int product) {
    const int rounded = k.cast(DType::f64, k.cast(DType::f32, product));
    return k.cast(DType::f32, k.compute(OpKind::sub, DType::f64, {product, rounded}));
  };
  const Numbers y = results_of(x, [&](KernelBuilder& k, int value) {
    const int product = times(k, wide(k, OpKind::log, value), scale);
    return std::vector<int>{rest_of(k, product)};
  })[0];
  const Numbers negative = logs(x, -scale);
  for (size_t i = 0; i < x.size(); ++i) {
    const double exact = std::log(static_cast<double>(x[i])) * scale;
    ASSERT_NEAR(y[i], exact - static_cast<float>(exact), 1e-14) << x[i];
    ASSERT_EQ(negative[i], static_cast<float>(-exact)) << x[i];
  }
}

Numbers tangents(const Numbers& x) {
  return results_of(x, [&](KernelBuilder& k, int value) {
    const int quotient = k.compute(
        OpKind::div, DType::f64, {wide(k, OpKind::sin, value), wide(k, OpKind::cos, value)});
    return std::vector<int>{k.cast(DType::f32, quotient)};
  })[0];
}

TEST(Tan, KeepsItsDigits) {
  Numbers x = numbers_between(-20, 20);
  for (int i = 0; i < 20000; ++i)
    x.push_back(std::ldexp(1.0F + static_cast<float>(i * 37 % 1009) / 1009, i % 276 - 149));
  const Numbers y = tangents(x);
  for (size_t i = 0; i < x.size(); ++i) {
    if (x[i] == 0) continue;
    ASSERT_LE(units(y[i], std::tan(static_cast<double>(x[i]))), 1.6) << x[i];
  }
}

TEST(Tan, KeepsTheSignOfZero) {
  const Numbers y = tangents({0, -0.0F});
  EXPECT_EQ(y, Numbers({0, 0}));
  EXPECT_FALSE(std::signbit(y[0]));
  EXPECT_TRUE(std::signbit(y[1]));
}

TEST(Tan, OfNoNumberIsNone) {
  for (const float tangent : tangents({kInfinity, -kInfinity, kNaN}))
    EXPECT_TRUE(std::isnan(tangent));
}

TEST(Tan, NotOfTwoAngles) {
  const Numbers x = numbers_between(-1, 1);
  const Numbers y = results_of(x, [](KernelBuilder& k, int value) {
    const int other = add_one(k, value);
    const int quotient = k.compute(
        OpKind::div, DType::f64, {wide(k, OpKind::sin, value), wide(k, OpKind::cos, other)});
    return std::vector<int>{k.cast(DType::f32, quotient)};
  })[0];
  for (size_t i = 0; i < x.size(); ++i) {
    const double angle = x[i];
    ASSERT_NEAR(y[i], std::sin(angle) / std::cos(x[i] + 1.0F), 1e-6 * (1 + std::abs(y[i]))) << x[i];
  }
}

}  // namespace
}  // namespace wick::codegen::test
