// f32 functions over inputs spread over all bit patterns, against the C library in double.

#include <bit>
#include <cmath>
#include <cstdio>
#include <limits>
#include <numbers>

#include "kernel_builder.h"
#include "support/distance_in_ulp.h"
#include <gtest/gtest.h>

namespace wick::codegen::test {
namespace {

using ir::OpKind;

constexpr int64_t kInputs = int64_t{1} << 24;
// Odd, so that 2^24 steps around 2^32 patterns meet distinct ones with all low bits.
constexpr uint32_t kStep = 255;
constexpr int64_t kChunk = 1 << 14;

double exact_sigmoid(double x) {
  if (x >= 0) return 1 / (1 + std::exp(-x));
  const double power = std::exp(x);
  return power / (1 + power);
}

/// Distance of `actual` from `exact` in units of the last place of a float near `exact`.
double distance_in_ulp(float actual, double exact) {
  constexpr double kWrong = 1e9;
  if (std::isnan(exact) || std::isnan(actual)) {
    return std::isnan(exact) && std::isnan(actual) ? 0 : kWrong;
  }
  const auto rounded = static_cast<float>(exact);
  if (std::isinf(rounded) || std::isinf(actual)) {
    // Overflow may come one representable number early or late.
    constexpr float kLargest = std::numeric_limits<float>::max();
    const bool adjacent = std::abs(actual) >= kLargest && std::abs(rounded) >= kLargest;
    return adjacent && std::signbit(actual) == std::signbit(rounded) ? 0 : kWrong;
  }
  // 2^(e - 23) for a number with exponent e, 2^-149 for denormals.
  const int exponent = static_cast<int>(std::bit_cast<uint64_t>(exact) >> 52U & 0x7FFU) - 1023;
  const int place = std::max(exponent - 23, -149);
  const double scale = std::bit_cast<double>(static_cast<uint64_t>(1023 - place) << 52U);
  return std::abs(static_cast<double>(actual) - exact) * scale;
}

struct Function {
  OpKind op;
  double (*exact)(double);
};

void PrintTo(const Function& function, std::ostream* out) {
  *out << ir::to_string(function.op);
}

class MathSweep : public testing::TestWithParam<Function> {};

TEST_P(MathSweep, IsWithinTwoUlp) {
  KernelBuilder k = elementwise(GetParam().op, {DType::f32}, DType::f32, kChunk);
  const KernelFunction function = compile(k.kernel());
  std::vector<float> in(kChunk);
  std::vector<float> out(kChunk);
  void* buffers[] = {in.data(), out.data()};
  double worst = 0;
  float worst_input = 0;
  uint32_t bits = 0;
  for (int64_t done = 0; done < kInputs; done += kChunk) {
    for (float& x : in) {
      x = std::bit_cast<float>(bits);
      bits += kStep;
    }
    function(buffers, k.params().data(), 0, 1, 0, kChunk);
    for (size_t i = 0; i < in.size(); ++i) {
      const double distance = distance_in_ulp(out[i], GetParam().exact(in[i]));
      if (distance <= worst) continue;
      worst = distance;
      worst_input = in[i];
    }
  }
  std::printf("%s: worst %.3f ulp, at %a\n",
              std::string(ir::to_string(GetParam().op)).c_str(),
              worst,
              static_cast<double>(worst_input));
  EXPECT_LE(worst, 2.0) << "at " << worst_input;
}

TEST_P(MathSweep, TreatsSpecialValuesAsTheCLibraryDoes) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  std::vector<float> in = {
      0.0F,      -0.0F,      kInfinity,   -kInfinity,      std::nanf(""),    0x1p-149F, -0x1p-149F,
      0x1p-126F, -0x1p-126F, 0x1.8p-130F, 0x1.fffffep127F, -0x1.fffffep127F, 1.0F,      -1.0F,
      88.72284F, 88.72283F,  -87.33655F,  -103.97F,        -103.98F,         -104.5F,   9.0F,
      -9.02F,    3.92F,      4.0F,        0x1p40F,         0x1p41F,          -0x1p60F};
  // Where pieces of the range meet.
  for (int eighths = -48; eighths <= 48; ++eighths)
    in.push_back(static_cast<float>(eighths) / 8);
  std::vector<float> out(in.size());
  const auto count = static_cast<int64_t>(in.size());
  KernelBuilder k = elementwise(GetParam().op, {DType::f32}, DType::f32, count);
  void* buffers[] = {in.data(), out.data()};

  compile(k.kernel())(buffers, k.params().data(), 0, 1, 0, count);

  for (size_t i = 0; i < in.size(); ++i) {
    const double exact = GetParam().exact(in[i]);
    EXPECT_LE(distance_in_ulp(out[i], exact), 2.0)
        << in[i] << " gives " << out[i] << " instead of " << exact;
    EXPECT_TRUE(exact != 0 || std::signbit(out[i]) == std::signbit(exact)) << in[i];
  }
}

INSTANTIATE_TEST_SUITE_P(
    All,
    MathSweep,
    testing::Values(Function{OpKind::exp, [](double x) { return std::exp(x); }},
                    Function{OpKind::log, [](double x) { return std::log(x); }},
                    Function{OpKind::tanh, [](double x) { return std::tanh(x); }},
                    Function{OpKind::erf, [](double x) { return std::erf(x); }},
                    Function{OpKind::sigmoid, exact_sigmoid},
                    Function{OpKind::sin, [](double x) { return std::sin(x); }},
                    Function{OpKind::cos, [](double x) { return std::cos(x); }}),
    [](const testing::TestParamInfo<Function>& info) {
      return std::string(ir::to_string(info.param.op));
    });

long double wide_sigmoid(long double x) {
  if (x >= 0) return 1 / (1 + std::exp(-x));
  const long double power = std::exp(x);
  return power / (1 + power);
}

struct WideFunction {
  OpKind op;
  double most_ulp;
  long double (*exact)(long double);
};

void PrintTo(const WideFunction& function, std::ostream* out) {
  *out << ir::to_string(function.op);
}

class WideMathSweep : public testing::TestWithParam<WideFunction> {};

TEST_P(WideMathSweep, IsWithinItsBound) {
  constexpr int64_t kWideInputs = int64_t{1} << 21;
  KernelBuilder k = elementwise(GetParam().op, {DType::f64}, DType::f64, kChunk);
  const KernelFunction function = compile(k.kernel());
  std::vector<double> in(kChunk);
  std::vector<double> out(kChunk);
  void* buffers[] = {in.data(), out.data()};
  double worst = 0;
  double worst_input = 0;
  uint64_t bits = 0;
  for (int64_t done = 0; done < kWideInputs; done += kChunk) {
    for (size_t i = 0; i < in.size(); ++i) {
      bits += 0x9E3779B97F4A7C15;  // the golden ratio: spread evenly
      // All numbers, those where exp neither overflows nor is 1, and those around 0. The latter are
      // apart, for one huge number sends all that is computed with it to the C library.
      const auto share = static_cast<double>(bits);
      const size_t part = i * 3 / in.size();
      in[i] = part == 0   ? std::bit_cast<double>(bits)
              : part == 1 ? share * 0x1.6p-54 - 745
                          : share * 0x1p-61 - 4;
    }
    in[0] = -std::numeric_limits<double>::denorm_min();
    in[1] = std::numeric_limits<double>::denorm_min();
    in[2] = std::numeric_limits<double>::infinity();
    in[3] = -in[2];
    in[in.size() - 1] = in[0];
    in[in.size() - 2] = -0.0;
    in[in.size() - 3] = 0;
    // The numbers closest to multiples of pi/2.
    for (int i = 0; i < 1000; ++i)
      in[in.size() - 4 - i] = static_cast<double>(done / kChunk * 1000 + i) * std::numbers::pi / 2;
    function(buffers, k.params().data(), 0, 1, 0, kChunk);
    for (size_t i = 0; i < in.size(); ++i) {
      const long double exact = GetParam().exact(in[i]);
      ASSERT_TRUE(exact != 0 || std::signbit(out[i]) == std::signbit(exact)) << in[i];
      const double distance = testing_support::distance_in_ulp(out[i], exact);
      if (distance <= worst) continue;
      worst = distance;
      worst_input = in[i];
    }
  }
  std::printf("%s: worst %.3f ulp, at %a\n",
              std::string(ir::to_string(GetParam().op)).c_str(),
              worst,
              worst_input);
  EXPECT_LE(worst, GetParam().most_ulp) << "at " << worst_input;
}

INSTANTIATE_TEST_SUITE_P(
    F64,
    WideMathSweep,
    testing::Values(WideFunction{OpKind::exp, 1, [](long double x) { return std::exp(x); }},
                    WideFunction{OpKind::log, 1, [](long double x) { return std::log(x); }},
                    WideFunction{OpKind::sin, 1, [](long double x) { return std::sin(x); }},
                    WideFunction{OpKind::cos, 1, [](long double x) { return std::cos(x); }},
                    WideFunction{OpKind::atan, 2, [](long double x) { return std::atan(x); }},
                    WideFunction{OpKind::erf, 1.5, [](long double x) { return std::erf(x); }},
                    WideFunction{OpKind::sigmoid, 2.4, wide_sigmoid},
                    WideFunction{OpKind::tanh, 2, [](long double x) { return std::tanh(x); }}),
    [](const testing::TestParamInfo<WideFunction>& info) {
      return std::string(ir::to_string(info.param.op));
    });

/// A part of the line where the error of sigmoid is largest, without gaps.
TEST(MathSweepDense, SigmoidIsWithinTwoUlpBelowZero) {
  KernelBuilder k = elementwise(OpKind::sigmoid, {DType::f32}, DType::f32, kChunk);
  const KernelFunction function = compile(k.kernel());
  std::vector<float> in(kChunk);
  std::vector<float> out(kChunk);
  void* buffers[] = {in.data(), out.data()};
  double worst = 0;
  const auto last = std::bit_cast<uint32_t>(-7.0F);
  for (auto bits = std::bit_cast<uint32_t>(-6.0F); bits <= last; bits += kChunk) {
    for (uint32_t i = 0; i < kChunk; ++i)
      in[i] = std::bit_cast<float>(bits + i);
    function(buffers, k.params().data(), 0, 1, 0, kChunk);
    for (size_t i = 0; i < in.size(); ++i) {
      worst = std::max(worst, distance_in_ulp(out[i], exact_sigmoid(in[i])));
    }
  }
  EXPECT_LE(worst, 2.0);
}

}  // namespace
}  // namespace wick::codegen::test
