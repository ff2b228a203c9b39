#include "wick/runtime/result_error.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "wick/ir/check.h"
#include "wick/runtime/validate.h"

namespace wick::runtime {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// The place of a float among all floats of its width: neighbours differ by 1.
template <typename Bits>
double rank(Bits bits) {
  constexpr Bits kSign = Bits{1} << (8 * sizeof(Bits) - 1);
  const auto magnitude = static_cast<double>(bits & ~kSign);
  return (bits & kSign) != 0 ? -magnitude : magnitude;
}

double rank_of(const Literal& literal, int64_t i) {
  const auto at = static_cast<size_t>(i);
  switch (literal.type().dtype) {
    case DType::f32:
      return rank(std::bit_cast<uint32_t>(literal.values<float>()[at]));
    case DType::f64:
      return rank(std::bit_cast<uint64_t>(literal.values<double>()[at]));
    case DType::f16:
      return rank(literal.values<Half>()[at].bits);
    case DType::bf16:
      return rank(literal.values<BFloat16>()[at].bits);
    default:
      break;
  }
  check(false, "integers have no rank");
  return 0;
}

/// Never 0 for different integers, however large.
double integer_error(int64_t expected, int64_t got) {
  const auto [least, greatest] = std::minmax(expected, got);
  return static_cast<double>(static_cast<uint64_t>(greatest) - static_cast<uint64_t>(least));
}

double absolute_error(double expected, double got) {
  if (expected == got || (std::isnan(expected) && std::isnan(got))) return 0;
  const double error = std::abs(expected - got);
  return std::isnan(error) ? kInfinity : error;
}

/// Absolute; 0 for equal elements alone.
double error_at(const Literal& expected, const Literal& got, int64_t i) {
  if (!is_float(expected.type().dtype)) {
    return integer_error(expected.as_integer(i), got.as_integer(i));
  }
  return absolute_error(expected.as_double(i), got.as_double(i));
}

double ulps_at(const Literal& expected, const Literal& got, int64_t i) {
  if (!is_float(expected.type().dtype)) {
    return integer_error(expected.as_integer(i), got.as_integer(i));
  }
  return std::abs(rank_of(expected, i) - rank_of(got, i));
}

}  // namespace

std::optional<ResultError> largest_error(const Literal& expected,
                                         const Literal& got,
                                         double noise) {
  check(expected.type() == got.type(), "values of one type are compared");
  const Tolerance tolerance = tolerance_for(expected, noise);
  std::optional<ResultError> worst;
  double worst_excess = -1;
  int64_t outside = 0;
  for (int64_t i = 0; i < expected.numel(); ++i) {
    const double want = expected.as_double(i);
    const double error = error_at(expected, got, i);
    if (error == 0) continue;
    const double allowed = tolerance.allowed(want);
    if (!(error <= allowed)) ++outside;
    const double excess = allowed > 0 ? error / allowed : error;
    if (excess <= worst_excess) continue;
    worst_excess = excess;
    worst = {.position = i,
             .expected = want,
             .got = got.as_double(i),
             .absolute = error,
             .relative = error / std::abs(want),
             .ulps = ulps_at(expected, got, i),
             .allowed = allowed,
             .outside = 0};
  }
  if (worst) worst->outside = outside;
  return worst;
}

}  // namespace wick::runtime
