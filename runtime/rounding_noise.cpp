#include "wick/runtime/rounding_noise.h"

#include <cmath>
#include <random>
#include <type_traits>

#include "wick/ir/dtype.h"

namespace wick::runtime {
namespace {

/// The difference of 1 and the next larger number.
double unit_of(DType dtype) {
  switch (dtype) {
    case DType::f64:
      return 0x1p-52;
    case DType::f16:
      return 0x1p-10;
    case DType::bf16:
      return 0x1p-7;
    default:
      return 0x1p-23;
  }
}

Literal moved(Literal value) {
  if (!is_float(value.type().dtype)) return value;
  std::minstd_rand random;
  const double unit = unit_of(value.type().dtype);
  visit_dtype(value.type().dtype, [&]<typename T>() {
    for (T& element : value.mutable_values<T>()) {
      const double factor = random() % 2 == 0 ? 1 + unit : 1 - unit;
      if constexpr (std::is_same_v<T, double>) {
        element *= factor;
      } else if constexpr (!std::is_integral_v<T>) {
        element = static_cast<T>(static_cast<float>(static_cast<float>(element) * factor));
      }
    }
  });
  return value;
}

double mean_distance(const Literal& one, const Literal& other) {
  double sum = 0;
  int64_t count = 0;
  for (int64_t i = 0; i < one.numel(); ++i) {
    const double distance = std::abs(one.as_double(i) - other.as_double(i));
    if (!std::isfinite(distance)) continue;
    sum += distance;
    ++count;
  }
  return count == 0 ? 0 : sum / static_cast<double>(count);
}

}  // namespace

double RoundingNoise::of(size_t k) {
  if (moved_.empty()) {
    std::vector<Literal> parameters;
    for (const Literal& parameter : parameters_)
      parameters.push_back(moved(parameter));
    moved_ = evaluate_(parameters);
  }
  return mean_distance(expected_[k], moved_[k]);
}

}  // namespace wick::runtime
