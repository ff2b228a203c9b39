// Functions of which a kernel needs less than they can do: exp of what is never positive, and tanh
// where all that is asked for is 1 more than it, or 1 less than its square.

#include <cmath>
#include <functional>
#include <limits>

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

/// The results that `body`, given the builder and tanh(x), returns, each for all x.
std::vector<Numbers> results_of_tanh(
    Numbers x, const std::function<std::vector<int>(KernelBuilder&, int)>& body) {
  const auto count = static_cast<int64_t>(x.size());
  KernelBuilder k("tanh");
  const int operand = k.buffer(DType::f32);
  k.vector(k.outer(count));
  k.straight();
  const int tanh = k.compute(OpKind::tanh, DType::f32, {k.load(operand, k.at({1}))});
  const std::vector<int> results = body(k, tanh);
  std::vector<Numbers> values(results.size(), Numbers(x.size()));
  std::vector<void*> buffers{x.data()};
  for (size_t i = 0; i < results.size(); ++i) {
    k.store(k.buffer(DType::f32, /*written=*/true), k.at({1}), results[i]);
    buffers.push_back(values[i].data());
  }
  compile(k.kernel())(buffers.data(), k.params().data(), 0, 1, 0, count);
  return values;
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

}  // namespace
}  // namespace wick::codegen::test
