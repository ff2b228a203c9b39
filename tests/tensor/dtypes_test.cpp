// Every elementwise function in every dtype: the LLVM backend against the interpreter, over numbers
// at the edges of each dtype; and what docs/dtypes.md promises of casts and integers.

#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <string>

#include "expect_values.h"
#include "support/all_dtypes.h"
#include "support/compiled_backend.h"

#include "wick/autograd/activation.h"
#include "wick/autograd/elementary.h"
#include "wick/autograd/special.h"
#include "wick/passes/options.h"
#include "wick/tensor/ops_activation.h"
#include "wick/tensor/ops_arithmetic.h"
#include "wick/tensor/ops_logic.h"
#include "wick/tensor/ops_math.h"

namespace wick {
namespace {

using testing_support::expect_values;

struct Unary {
  const char* name;
  Tensor (*function)(const Tensor&);
};

struct Binary {
  const char* name;
  Tensor (*function)(const Tensor&, const Tensor&);
};

const Unary kUnary[] = {
    {"abs", [](const Tensor& x) { return abs(x); }},
    {"acos", [](const Tensor& x) { return acos(x); }},
    {"acosh", [](const Tensor& x) { return acosh(x); }},
    {"asin", [](const Tensor& x) { return asin(x); }},
    {"asinh", [](const Tensor& x) { return asinh(x); }},
    {"atan", [](const Tensor& x) { return atan(x); }},
    {"atanh", [](const Tensor& x) { return atanh(x); }},
    {"bool", [](const Tensor& x) { return cast(x, DType::bool_); }},
    {"cbrt", [](const Tensor& x) { return cbrt(x); }},
    {"ceil", [](const Tensor& x) { return ceil(x); }},
    {"celu", [](const Tensor& x) { return celu(x, 1.5); }},
    {"clamp", [](const Tensor& x) { return clamp(x, 1, 3); }},
    {"cosh", [](const Tensor& x) { return cosh(x); }},
    {"digamma", [](const Tensor& x) { return digamma(x); }},
    {"erfc", [](const Tensor& x) { return erfc(x); }},
    {"erfinv", [](const Tensor& x) { return erfinv(x); }},
    {"exp", [](const Tensor& x) { return exp(x); }},
    {"exp2", [](const Tensor& x) { return exp2(x); }},
    {"expm1", [](const Tensor& x) { return expm1(x); }},
    {"f16", [](const Tensor& x) { return cast(x, DType::f16); }},
    {"f32", [](const Tensor& x) { return cast(x, DType::f32); }},
    {"floor", [](const Tensor& x) { return floor(x); }},
    {"frac", [](const Tensor& x) { return frac(x); }},
    {"hardshrink", [](const Tensor& x) { return hardshrink(x); }},
    {"hardsigmoid", [](const Tensor& x) { return hardsigmoid(x); }},
    {"hardswish", [](const Tensor& x) { return hardswish(x); }},
    {"i8", [](const Tensor& x) { return cast(x, DType::i8); }},
    {"i64", [](const Tensor& x) { return cast(x, DType::i64); }},
    {"isfinite", [](const Tensor& x) { return isfinite(x); }},
    {"isinf", [](const Tensor& x) { return isinf(x); }},
    {"lgamma", [](const Tensor& x) { return lgamma(x); }},
    {"log10", [](const Tensor& x) { return log10(x); }},
    {"log1p", [](const Tensor& x) { return log1p(x); }},
    {"log2", [](const Tensor& x) { return log2(x); }},
    {"logical_not", [](const Tensor& x) { return logical_not(x); }},
    {"logit", [](const Tensor& x) { return logit(x); }},
    {"logsigmoid", [](const Tensor& x) { return logsigmoid(x); }},
    {"mish", [](const Tensor& x) { return mish(x); }},
    {"nan_to_num", [](const Tensor& x) { return nan_to_num(x); }},
    {"pow3", [](const Tensor& x) { return pow(x, 3); }},
    {"reciprocal", [](const Tensor& x) { return reciprocal(x); }},
    {"round", [](const Tensor& x) { return round(x); }},
    {"rsqrt", [](const Tensor& x) { return rsqrt(x); }},
    {"sign", [](const Tensor& x) { return sign(x); }},
    {"signbit", [](const Tensor& x) { return signbit(x); }},
    {"sinc", [](const Tensor& x) { return sinc(x); }},
    {"sinh", [](const Tensor& x) { return sinh(x); }},
    {"softplus", [](const Tensor& x) { return softplus(x, 2, 5); }},
    {"softshrink", [](const Tensor& x) { return softshrink(x); }},
    {"tan", [](const Tensor& x) { return tan(x); }},
    {"trunc", [](const Tensor& x) { return trunc(x); }},
    {"u8", [](const Tensor& x) { return cast(x, DType::u8); }},
};

// Of integers and floats.
const Binary kBinary[] = {
    {"add", [](const Tensor& a, const Tensor& b) { return a + b; }},
    {"atan2", [](const Tensor& a, const Tensor& b) { return atan2(a, b); }},
    {"copysign", [](const Tensor& a, const Tensor& b) { return copysign(a, b); }},
    {"div", [](const Tensor& a, const Tensor& b) { return a / b; }},
    {"div_trunc", [](const Tensor& a, const Tensor& b) { return div(a, b, Rounding::trunc); }},
    {"eq", [](const Tensor& a, const Tensor& b) { return a == b; }},
    {"floor_divide", [](const Tensor& a, const Tensor& b) { return floor_divide(a, b); }},
    {"fmax", [](const Tensor& a, const Tensor& b) { return fmax(a, b); }},
    {"fmin", [](const Tensor& a, const Tensor& b) { return fmin(a, b); }},
    {"fmod", [](const Tensor& a, const Tensor& b) { return fmod(a, b); }},
    {"heaviside", [](const Tensor& a, const Tensor& b) { return heaviside(a, b); }},
    {"hypot", [](const Tensor& a, const Tensor& b) { return hypot(a, b); }},
    {"ldexp", [](const Tensor& a, const Tensor& b) { return ldexp(a, b); }},
    {"logaddexp", [](const Tensor& a, const Tensor& b) { return logaddexp(a, b); }},
    {"logical_xor", [](const Tensor& a, const Tensor& b) { return logical_xor(a, b); }},
    {"lt", [](const Tensor& a, const Tensor& b) { return a < b; }},
    {"maximum", [](const Tensor& a, const Tensor& b) { return maximum(a, b); }},
    {"minimum", [](const Tensor& a, const Tensor& b) { return minimum(a, b); }},
    {"mul", [](const Tensor& a, const Tensor& b) { return a * b; }},
    {"nextafter", [](const Tensor& a, const Tensor& b) { return nextafter(a, b); }},
    {"pow", [](const Tensor& a, const Tensor& b) { return pow(a, b); }},
    {"remainder", [](const Tensor& a, const Tensor& b) { return remainder(a, b); }},
    {"xlogy", [](const Tensor& a, const Tensor& b) { return xlogy(a, b); }},
};

const Binary kBits[] = {
    {"bitwise_and", [](const Tensor& a, const Tensor& b) { return bitwise_and(a, b); }},
    {"bitwise_or", [](const Tensor& a, const Tensor& b) { return bitwise_or(a, b); }},
    {"bitwise_xor", [](const Tensor& a, const Tensor& b) { return bitwise_xor(a, b); }},
    {"bitwise_not", [](const Tensor& a, const Tensor&) { return bitwise_not(a); }},
};

const Binary kShifts[] = {
    {"left_shift", [](const Tensor& a, const Tensor& b) { return bitwise_left_shift(a, b); }},
    {"right_shift", [](const Tensor& a, const Tensor& b) { return bitwise_right_shift(a, b); }},
};

/// Numbers of the dtype at its edges, and some between.
Tensor edges(DType dtype) {
  std::vector<double> values = {0, 1, 2, 3, 7, 100};
  const auto add = [&](std::initializer_list<double> more) {
    values.insert(values.end(), more.begin(), more.end());
  };
  if (dtype == DType::bool_) values = {0, 1};
  if (dtype == DType::u8) add({8, 127, 128, 255});
  if (is_signed_integer(dtype)) {
    const double high = std::ldexp(1.0, static_cast<int>(8 * size_of(dtype)) - 1);
    add({-1, -2, -3, -7, 8, 63, -high, high - 1});  // of i64 the highest saturates
  }
  if (is_float(dtype)) {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    add({-0.0, -1, 0.5, -0.5, 0.1, -2.5, 2.5, 1e-3, -3, kInfinity, -kInfinity, std::nan("")});
    if (dtype != DType::f16) add({1e30, -1e30, 1e-30});
  }
  const auto count = static_cast<int64_t>(values.size());
  return cast(from_vector(values, {count}), dtype);
}

std::vector<double> values_on(const std::string& backend, const Tensor& input, const Unary& f) {
  Options chosen = options();
  chosen.backend = backend;
  const ScopedOptions scope(chosen);
  // A leaf of its own: values are kept where they were computed first.
  const Tensor x = input + 0;
  return f.function(x).to_vector<double>();
}

std::vector<double> values_on(const std::string& backend, const Tensor& input, const Binary& f) {
  Options chosen = options();
  chosen.backend = backend;
  const ScopedOptions scope(chosen);
  const Tensor x = input + 0;
  const int64_t n = x.numel();
  return f.function(reshape(x, {n, 1}), reshape(x, {1, n})).to_vector<double>();
}

/// Relative: a few units in the last place, and what a wrong one makes of functions that are steep.
double tolerance_of(DType dtype) {
  switch (dtype) {
    case DType::f64:
      return 1e-12;
    case DType::f16:
      return 2e-3;
    case DType::bf16:
      return 1.6e-2;
    default:
      return 2e-6;
  }
}

bool agree(double a, double b, double tolerance) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  if (std::isinf(a) || std::isinf(b)) return a == b;
  return std::abs(a - b) <= tolerance * std::max({std::abs(a), std::abs(b), 1e-2});
}

class EveryDtype : public ::testing::TestWithParam<DType> {
 protected:
  template <typename Function>
  void expect_agreement(const Function& f) {
    const DType dtype = GetParam();
    const Tensor input = edges(dtype);
    materialize(input);
    const auto expected = values_on("interpreter", input, f);
    const auto got = values_on(compiled_backend(), input, f);
    ASSERT_EQ(expected.size(), got.size()) << f.name;
    for (size_t i = 0; i < got.size(); ++i) {
      EXPECT_TRUE(agree(expected[i], got[i], tolerance_of(dtype)))
          << f.name << " element " << i << ": " << got[i] << " is not " << expected[i];
    }
  }
};

TEST_P(EveryDtype, UnaryFunctionsAgreeOnBothBackends) {
  for (const Unary& f : kUnary)
    expect_agreement(f);
}

TEST_P(EveryDtype, BinaryFunctionsAgreeOnBothBackends) {
  for (const Binary& f : kBinary)
    expect_agreement(f);
  if (is_float(GetParam())) return;
  for (const Binary& f : kBits)
    expect_agreement(f);
  if (GetParam() == DType::bool_) return;
  for (const Binary& f : kShifts)
    expect_agreement(f);
}

INSTANTIATE_TEST_SUITE_P(All,
                         EveryDtype,
                         ::testing::ValuesIn(kAllDTypes),
                         [](const ::testing::TestParamInfo<DType>& info) {
                           return std::string(to_string(info.param));
                         });

TEST(Integers, WrapDivideAndShiftAsDocumented) {
  const Tensor x = cast(tensor({-128, -7, 7, 127}), DType::i8);
  expect_values(x + x, {4}, {0, -14, 14, -2});
  expect_values(-x, {4}, {-128, 7, -7, -127});
  expect_values(x / 2, {4}, {-64, -3.5, 3.5, 63.5});
  expect_values(floor_divide(x, 2), {4}, {-64, -4, 3, 63});
  expect_values(div(x, 2, Rounding::trunc), {4}, {-64, -3, 3, 63});
  expect_values(remainder(x, 3), {4}, {1, 2, 1, 1});
  expect_values(fmod(x, 3), {4}, {-2, -1, 1, 1});
  expect_values(floor_divide(x, 0), {4}, {0, 0, 0, 0});
  expect_values(remainder(x, 0), {4}, {0, 0, 0, 0});
  expect_values(bitwise_left_shift(x, 1), {4}, {0, -14, 14, -2});
  expect_values(bitwise_left_shift(x, 8), {4}, {0, 0, 0, 0});
  expect_values(bitwise_right_shift(x, 9), {4}, {-1, -1, 0, 0});
  expect_values(pow(x, 2), {4}, {0, 49, 49, 1});
  EXPECT_EQ(pow(x, x).dtype(), DType::i8);
}

TEST(Casts, TruncateSaturateAndWrapAsDocumented) {
  const double nan = std::nan("");
  const Tensor floats = tensor({-1.9F, 1.9F, 300, -300, static_cast<float>(nan)});
  expect_values(cast(floats, DType::i8), {5}, {-1, 1, 127, -128, 0});
  expect_values(cast(floats, DType::u8), {5}, {0, 1, 255, 0, 0});
  expect_values(cast(floats, DType::bool_), {5}, {1, 1, 1, 1, 1});
  const Tensor whole = cast(tensor({300, -300, 128}), DType::i32);
  expect_values(cast(whole, DType::i8), {3}, {44, -44, -128});
  expect_values(cast(whole, DType::u8), {3}, {44, 212, 128});
  // To nearest, ties to even; beyond the range infinite.
  expect_values(cast(tensor({2049, 2051, 70000}), DType::f16), {3}, {2048, 2052, INFINITY});
}

// ---- half types: all 65536 numbers ------------------------------------------------------------

struct Reference {
  const char* name;
  Tensor (*function)(const Tensor&);
  double (*exact)(double);
};

const Reference kReferences[] = {
    {"acos", [](const Tensor& x) { return acos(x); }, [](double x) { return std::acos(x); }},
    {"asinh", [](const Tensor& x) { return asinh(x); }, [](double x) { return std::asinh(x); }},
    {"atan", [](const Tensor& x) { return atan(x); }, [](double x) { return std::atan(x); }},
    {"cbrt", [](const Tensor& x) { return cbrt(x); }, [](double x) { return std::cbrt(x); }},
    {"cosh", [](const Tensor& x) { return cosh(x); }, [](double x) { return std::cosh(x); }},
    {"erf", [](const Tensor& x) { return erf(x); }, [](double x) { return std::erf(x); }},
    {"erfc", [](const Tensor& x) { return erfc(x); }, [](double x) { return std::erfc(x); }},
    {"exp", [](const Tensor& x) { return exp(x); }, [](double x) { return std::exp(x); }},
    {"expm1", [](const Tensor& x) { return expm1(x); }, [](double x) { return std::expm1(x); }},
    {"lgamma", [](const Tensor& x) { return lgamma(x); }, [](double x) { return std::lgamma(x); }},
    {"log", [](const Tensor& x) { return log(x); }, [](double x) { return std::log(x); }},
    {"log1p", [](const Tensor& x) { return log1p(x); }, [](double x) { return std::log1p(x); }},
    {"rsqrt", [](const Tensor& x) { return rsqrt(x); }, [](double x) { return 1 / std::sqrt(x); }},
    {"sin", [](const Tensor& x) { return sin(x); }, [](double x) { return std::sin(x); }},
    {"sqrt", [](const Tensor& x) { return sqrt(x); }, [](double x) { return std::sqrt(x); }},
    {"tan", [](const Tensor& x) { return tan(x); }, [](double x) { return std::tan(x); }},
    {"tanh", [](const Tensor& x) { return tanh(x); }, [](double x) { return std::tanh(x); }},
};

/// Numbers of a half type in their order.
template <typename T>
int rank(T value) {
  const int magnitude = value.bits & 0x7FFF;
  return (value.bits & 0x8000) != 0 ? -magnitude : magnitude;
}

template <typename T>
void expect_rounded_functions() {
  std::vector<T> all(1 << 16);
  for (size_t bits = 0; bits < all.size(); ++bits)
    all[bits].bits = static_cast<uint16_t>(bits);
  const Tensor x = from_vector(all, {static_cast<int64_t>(all.size())});
  for (const Reference& f : kReferences) {
    const Tensor result = f.function(x);
    const auto got = result.data<T>();
    int wrong = 0;
    for (size_t i = 0; i < all.size(); ++i) {
      const T exact(static_cast<float>(f.exact(static_cast<float>(all[i]))));
      const bool is_nan = std::isnan(static_cast<float>(exact));
      const bool agrees = is_nan ? std::isnan(static_cast<float>(got[i]))
                                 : std::abs(rank(got[i]) - rank(exact)) <= 1;
      wrong += agrees ? 0 : 1;
    }
    EXPECT_EQ(wrong, 0) << f.name;
  }
}

TEST(HalfTypes, F16FunctionsAreRoundedResults) {
  expect_rounded_functions<Half>();
}

TEST(HalfTypes, Bf16FunctionsAreRoundedResults) {
  expect_rounded_functions<BFloat16>();
}

TEST(HalfTypes, MeansDoNotOverflow) {
  const Tensor x = full({4096}, 1000, DType::f16);
  EXPECT_EQ(mean(x).item<float>(), 1000);
  EXPECT_EQ(var(x).item<float>(), 0);
}

TEST(HalfTypes, ProductsAreComputedInF32AndRoundedOnce) {
  // 1 + 256 * 2^-9 in bf16: a running bf16 sum would stay at 1.
  constexpr int64_t kCount = 256;
  const Tensor ones_row = ones({1, kCount + 1}, DType::bf16);
  const Tensor column =
      concat({ones({1, 1}, DType::bf16), full({kCount, 1}, 0x1p-9, DType::bf16)}, 0);
  EXPECT_EQ(matmul(ones_row, column).item<float>(), 1.5F);
}

// ---- sums -------------------------------------------------------------------------------------

TEST(Sums, OfManyRandomNumbersAreAccurate) {
  constexpr int64_t kCount = int64_t{1} << 26;
  std::vector<float> values(kCount);
  double exact = 0;
  uint32_t state = 1;
  for (float& value : values) {
    state = state * 1664525U + 1013904223U;
    value = static_cast<float>(state >> 8U) * 0x1p-24F;
    exact += value;
  }
  const Tensor x = from_vector(values, {kCount});
  EXPECT_NEAR(sum(x).item<float>() / exact, 1, 1e-6);
  EXPECT_NEAR(sum(reshape(x, {1 << 13, 1 << 13}), {0}).sum().item<float>() / exact, 1, 1e-6);
}

TEST(Sums, VarianceOfNumbersFarFromZeroIsAccurate) {
  const Tensor x = arange(1001, DType::f32) * 0.001 + 4096;
  const Tensor exact = cast(x, DType::f64);
  EXPECT_NEAR(var(x).item<double>() / var(exact).item<double>(), 1, 1e-5);
}

TEST(Sums, SoftmaxOfLargeNumbersIsFinite) {
  const Tensor x = tensor({1e4F, 1e4F - 1, -1e4F});
  const double rest = std::exp(-1.0);
  expect_values(softmax(x, 0), {3}, {1 / (1 + rest), rest / (1 + rest), 0}, 1e-6);
  expect_values(logsumexp(x, {}), {}, {1e4 + std::log1p(rest)}, 1e-3);
}

}  // namespace
}  // namespace wick
