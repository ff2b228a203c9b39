#include "compare.h"

#include <cmath>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace wick::conformance {
namespace {

bool agree(double got, double expected, const Tolerance& tolerance) {
  if (std::isnan(expected)) return std::isnan(got);
  if (std::isinf(expected) || std::isinf(got)) return got == expected;
  return std::abs(got - expected) <= tolerance.absolute + tolerance.relative * std::abs(expected);
}

bool agree(int64_t got, int64_t expected, const Tolerance& /*exact*/) {
  return got == expected;
}

std::vector<int64_t> position_of(int64_t element, const Shape& shape) {
  std::vector<int64_t> position(static_cast<size_t>(shape.ndim()));
  for (int axis = shape.ndim(); axis-- > 0; element /= shape[axis])
    position[static_cast<size_t>(axis)] = element % shape[axis];
  return position;
}

template <typename T>
std::optional<std::string> first_difference(const Tensor& got,
                                            const Tensor& expected,
                                            const Tolerance& tolerance) {
  const std::vector<T> a = got.to_vector<T>();
  const std::vector<T> b = expected.to_vector<T>();
  size_t first = 0;
  size_t count = 0;
  for (size_t i = a.size(); i-- > 0;) {
    if (agree(a[i], b[i], tolerance)) continue;
    first = i;
    ++count;
  }
  if (count == 0) return {};
  return fmt::format("element {} is {}, should be {} ({} of {} elements differ)",
                     position_of(static_cast<int64_t>(first), got.shape()),
                     a[first],
                     b[first],
                     count,
                     a.size());
}

}  // namespace

std::optional<std::string> difference(const Tensor& got,
                                      const Tensor& expected,
                                      const Tolerance& tolerance) {
  if (got.type() != expected.type()) {
    return fmt::format("is {}, should be {}", to_string(got.type()), to_string(expected.type()));
  }
  return is_float(got.dtype()) ? first_difference<double>(got, expected, tolerance)
                               : first_difference<int64_t>(got, expected, tolerance);
}

}  // namespace wick::conformance
