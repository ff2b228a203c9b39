// Errors of the elementary functions of f32 in units in the last place, over all bit patterns or
// every n-th one, against the C library's functions of f64, whose own errors are some 1e-8 of these
// units. Prints the table of docs/accuracy.md:
//
//     ulp_sweep                          # every 4096th pattern, seconds
//     ulp_sweep --stride 1 --only exp    # all 2^32, a minute or two of one core a function

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <numbers>
#include <regex>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "wick/wick.h"

namespace {

using wick::Operand;
using wick::Tensor;
using Real = double;

constexpr int64_t kChunk = int64_t{1} << 20;
constexpr uint64_t kPatterns = uint64_t{1} << 32U;
constexpr Real kPi = std::numbers::pi_v<Real>;

// References that the C library lacks.

Real sin_pi(Real x) {
  const Real whole = std::nearbyint(x);
  const Real sine = std::sin(kPi * (x - whole));
  return std::fmod(whole, 2) == 0 ? sine : -sine;
}

Real sinc(Real x) {
  return x == 0 ? 1 : sin_pi(x) / (kPi * x);
}

Real sigmoid(Real x) {
  return x >= 0 ? 1 / (1 + std::exp(-x)) : std::exp(x) / (1 + std::exp(x));
}

Real softplus(Real x) {
  return std::max<Real>(x, 0) + std::log1p(std::exp(-std::abs(x)));
}

Real logsigmoid(Real x) {
  return -softplus(-x);
}

Real mish(Real x) {
  return x * std::tanh(softplus(x));
}

/// Newton's iteration on whichever of erf and erfc says more.
Real erfinv(Real x) {
  const Real a = std::abs(x);
  if (!(a < 1)) return a == 1 ? std::copysign(std::numeric_limits<Real>::infinity(), x) : NAN;
  if (a < 1e-10) return x * std::sqrt(kPi) / 2;
  const Real tail = std::log((1 - a) * (1 + a));
  const Real middle = 2 / (kPi * 0.147) + tail / 2;
  Real y = std::sqrt(std::sqrt(middle * middle - tail / 0.147) - middle);
  for (int step = 0; step < 5; ++step) {
    const Real rest = a < 0.5 ? std::erf(y) - a : (1 - a) - std::erfc(y);
    y -= rest * std::sqrt(kPi) / 2 * std::exp(y * y);
  }
  return std::copysign(y, x);
}

/// Of 80 bits: near the zeros, terms cancel.
long double wide_digamma(long double x) {
  constexpr long double kWidePi = std::numbers::pi_v<long double>;
  if (x < 0.5L) {
    const long double r = x - std::nearbyint(x);
    return wide_digamma(1 - x) - kWidePi * std::cos(kWidePi * r) / std::sin(kWidePi * r);
  }
  long double shift = 0;
  for (; x < 20; x += 1)
    shift += 1 / x;
  const long double z = 1 / (x * x);
  // B(2k) / (2k).
  constexpr long double kSeries[] = {1.0L / 12,
                                     -1.0L / 120,
                                     1.0L / 252,
                                     -1.0L / 240,
                                     1.0L / 132,
                                     -691.0L / 32760,
                                     1.0L / 12,
                                     -3617.0L / 8160};
  long double power = z;
  long double sum = std::log(x) - 1 / (2 * x);
  for (const long double c : kSeries) {
    sum -= c * power;
    power *= z;
  }
  return sum - shift;
}

Real digamma(Real x) {
  if (x == 0) return std::copysign(std::numeric_limits<Real>::infinity(), -x);
  if (x < 0 && std::floor(x) == x) return NAN;
  if (std::abs(x) < 1e-10) return -1 / x - std::numbers::egamma;
  return static_cast<Real>(wide_digamma(x));
}

struct Function {
  const char* name;
  Tensor (*compute)(const Tensor& x);
  Real (*exact)(Real);
};

const Function kFunctions[] = {
    {"acos", [](const Tensor& x) { return wick::acos(x); }, [](Real x) { return std::acos(x); }},
    {"acosh", [](const Tensor& x) { return wick::acosh(x); }, [](Real x) { return std::acosh(x); }},
    {"asin", [](const Tensor& x) { return wick::asin(x); }, [](Real x) { return std::asin(x); }},
    {"asinh", [](const Tensor& x) { return wick::asinh(x); }, [](Real x) { return std::asinh(x); }},
    {"atan", [](const Tensor& x) { return wick::atan(x); }, [](Real x) { return std::atan(x); }},
    {"atanh", [](const Tensor& x) { return wick::atanh(x); }, [](Real x) { return std::atanh(x); }},
    {"cbrt", [](const Tensor& x) { return wick::cbrt(x); }, [](Real x) { return std::cbrt(x); }},
    {"cos", [](const Tensor& x) { return wick::cos(x); }, [](Real x) { return std::cos(x); }},
    {"cosh", [](const Tensor& x) { return wick::cosh(x); }, [](Real x) { return std::cosh(x); }},
    {"digamma", [](const Tensor& x) { return wick::digamma(x); }, digamma},
    {"erf", [](const Tensor& x) { return wick::erf(x); }, [](Real x) { return std::erf(x); }},
    {"erfc", [](const Tensor& x) { return wick::erfc(x); }, [](Real x) { return std::erfc(x); }},
    {"erfinv", [](const Tensor& x) { return wick::erfinv(x); }, erfinv},
    {"exp", [](const Tensor& x) { return wick::exp(x); }, [](Real x) { return std::exp(x); }},
    {"exp2", [](const Tensor& x) { return wick::exp2(x); }, [](Real x) { return std::exp2(x); }},
    {"expm1", [](const Tensor& x) { return wick::expm1(x); }, [](Real x) { return std::expm1(x); }},
    {"lgamma",
     [](const Tensor& x) { return wick::lgamma(x); },
     [](Real x) { return std::lgamma(x); }},
    {"log", [](const Tensor& x) { return wick::log(x); }, [](Real x) { return std::log(x); }},
    {"log10", [](const Tensor& x) { return wick::log10(x); }, [](Real x) { return std::log10(x); }},
    {"log1p", [](const Tensor& x) { return wick::log1p(x); }, [](Real x) { return std::log1p(x); }},
    {"log2", [](const Tensor& x) { return wick::log2(x); }, [](Real x) { return std::log2(x); }},
    {"logsigmoid", [](const Tensor& x) { return wick::logsigmoid(x); }, logsigmoid},
    {"mish", [](const Tensor& x) { return wick::mish(x); }, mish},
    {"reciprocal",
     [](const Tensor& x) { return wick::reciprocal(x); },
     [](Real x) { return 1 / x; }},
    {"rsqrt",
     [](const Tensor& x) { return wick::rsqrt(x); },
     [](Real x) { return 1 / std::sqrt(x); }},
    {"sigmoid", [](const Tensor& x) { return wick::sigmoid(x); }, sigmoid},
    {"sin", [](const Tensor& x) { return wick::sin(x); }, [](Real x) { return std::sin(x); }},
    {"sinc", [](const Tensor& x) { return wick::sinc(x); }, sinc},
    {"sinh", [](const Tensor& x) { return wick::sinh(x); }, [](Real x) { return std::sinh(x); }},
    {"softplus", [](const Tensor& x) { return wick::softplus(x); }, softplus},
    {"sqrt", [](const Tensor& x) { return wick::sqrt(x); }, [](Real x) { return std::sqrt(x); }},
    {"tan", [](const Tensor& x) { return wick::tan(x); }, [](Real x) { return std::tan(x); }},
    {"tanh", [](const Tensor& x) { return wick::tanh(x); }, [](Real x) { return std::tanh(x); }},
};

struct BinaryFunction {
  const char* name;
  Tensor (*compute)(const Tensor& x, const Tensor& y);
  Real (*exact)(Real, Real);
};

const BinaryFunction kBinaryFunctions[] = {
    {"atan2",
     [](const Tensor& y, const Tensor& x) { return wick::atan2(y, x); },
     [](Real y, Real x) { return std::atan2(y, x); }},
    {"hypot",
     [](const Tensor& x, const Tensor& y) { return wick::hypot(x, y); },
     [](Real x, Real y) { return std::hypot(x, y); }},
    {"pow",
     [](const Tensor& x, const Tensor& y) { return wick::pow(x, y); },
     [](Real x, Real y) { return std::pow(x, y); }},
};

/// Distance of `actual` from `exact` in units in the last place of a float near `exact`; infinite
/// where one is NaN, or infinite, and the other is not.
double distance_in_ulp(float actual, Real exact) {
  constexpr double kWrong = std::numeric_limits<double>::infinity();
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
  // The exponents of f64, whose denormals are below all units.
  const auto exponent = static_cast<int>(std::bit_cast<uint64_t>(exact) >> 52U & 0x7FFU) - 1023;
  const int place = std::max(exponent - 23, -149);
  const auto units = std::bit_cast<double>(static_cast<uint64_t>(1023 - place) << 52U);
  return std::abs(static_cast<double>(actual) - exact) * units;
}

struct Errors {
  double worst = 0;
  float at = 0;
  float with = 0;  // the second operand
  double sum = 0;
  int64_t count = 0;

  void add(double distance, float x, float y) {
    ++count;
    if (std::isfinite(distance)) sum += distance;
    if (distance <= worst) return;
    worst = distance;
    at = x;
    with = y;
  }

  void merge(const Errors& other) {
    count += other.count;
    sum += other.sum;
    if (other.worst <= worst) return;
    worst = other.worst;
    at = other.at;
    with = other.with;
  }
};

/// A second operand for the pattern of the first: half of them moderate numbers, half any pattern.
float partner(uint32_t pattern) {
  const uint32_t mixed = pattern * 0x9E3779B1U ^ pattern >> 15U;
  if ((mixed & 1U) != 0) return std::bit_cast<float>(mixed);
  return (static_cast<float>(mixed >> 8U) - 0x1p23F) * 0x1p-19F;
}

struct Flags {
  uint64_t stride = 4096;
  std::string only = ".*";
};

/// Runs `compute` over the patterns and adds the distances from `exact`.
template <typename Compute, typename Exact>
Errors sweep(const char* name, const Flags& flags, Compute compute, Exact exact) {
  const auto inputs = static_cast<int64_t>((kPatterns + flags.stride - 1) / flags.stride);
  wick::nn::ProgressBar bar({.label = name, .total = inputs});
  Errors errors;
  std::vector<float> x(kChunk);
  std::vector<float> y(kChunk);
  for (int64_t done = 0; done < inputs; done += kChunk) {
    const int64_t count = std::min(kChunk, inputs - done);
    for (int64_t i = 0; i < kChunk; ++i) {
      // The last chunk is filled with its last pattern: one shape, one kernel.
      const auto index = static_cast<uint64_t>(done + std::min(i, count - 1));
      const auto pattern = static_cast<uint32_t>(index * flags.stride);
      x[static_cast<size_t>(i)] = std::bit_cast<float>(pattern);
      y[static_cast<size_t>(i)] = partner(pattern);
    }
    const Tensor result = compute(wick::from_vector(x, {kChunk}), wick::from_vector(y, {kChunk}));
    const auto values = result.template data<float>();
#pragma omp parallel
    {
      Errors mine;
#pragma omp for nowait
      for (int64_t i = 0; i < count; ++i) {
        const auto at = static_cast<size_t>(i);
        mine.add(distance_in_ulp(values[at], exact(x[at], y[at])), x[at], y[at]);
      }
#pragma omp critical
      errors.merge(mine);
    }
    bar.advance(count);
  }
  return errors;
}

void print_row(const char* name, const Errors& errors, uint64_t stride, bool binary) {
  const std::string place =
      binary ? fmt::format("{:a}, {:a}", errors.at, errors.with) : fmt::format("{:a}", errors.at);
  const std::string inputs = stride == 1 ? "all" : fmt::format("every {}th", stride);
  fmt::print("| {} | {:.3f} | {} | {:.3f} | {} |\n",
             name,
             errors.worst,
             place,
             errors.sum / static_cast<double>(errors.count),
             inputs);
  std::fflush(stdout);
}

void run(const Flags& flags) {
  const std::regex only(flags.only);
  fmt::print("| function | worst | at | mean | patterns |\n|---|---|---|---|---|\n");
  for (const Function& f : kFunctions) {
    if (!std::regex_match(f.name, only)) continue;
    const Errors errors = sweep(
        f.name,
        flags,
        [&](const Tensor& x, const Tensor&) { return f.compute(x); },
        [&](float x, float) { return f.exact(x); });
    print_row(f.name, errors, flags.stride, false);
  }
  for (const BinaryFunction& f : kBinaryFunctions) {
    if (!std::regex_match(f.name, only)) continue;
    const Errors errors =
        sweep(f.name, flags, f.compute, [&](float x, float y) { return f.exact(x, y); });
    print_row(f.name, errors, flags.stride, true);
  }
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Errors of the elementary functions of f32, in units in the last place");
  Flags flags;
  app.add_option("--stride", flags.stride, "Every n-th bit pattern")->check(CLI::PositiveNumber);
  app.add_option("--only", flags.only, "Functions whose name matches this regular expression");
  CLI11_PARSE(app, argc, argv);
  wick::Options options = wick::options();
  options.backend = "llvm";
  const wick::ScopedOptions scope(options);
  run(flags);
}
