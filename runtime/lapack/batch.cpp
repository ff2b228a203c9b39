#include "wick/runtime/lapack/batch.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <vector>

#include <fmt/format.h>

#include "wick/runtime/parallel.h"

namespace wick::runtime::lapack {

int checked_extent(int64_t extent) {
  if (extent <= std::numeric_limits<int>::max()) return static_cast<int>(extent);
  throw std::invalid_argument(fmt::format("extent {} is too large for LAPACK", extent));
}

void for_each_matrix(int64_t count,
                     double work,
                     const std::function<int(int64_t)>& one,
                     const std::function<std::string(int info)>& sentence) {
  constexpr double kWorthAThread = 5e4;
  constexpr double kWorthAllThreads = 1e8;
  std::vector<int> infos(static_cast<size_t>(count));
  const auto run = [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i)
      infos[static_cast<size_t>(i)] = one(i);
  };
  if (count == 1 || (count < max_threads() && work > kWorthAllThreads)) {
    const ThreadCountScope threads(max_threads());
    run(0, count);
  } else {
    const auto grain = static_cast<int64_t>(kWorthAThread / std::max(work, 1.0)) + 1;
    parallel_ranges(count, grain, run);
  }
  const auto failure = std::ranges::find_if(infos, [](int info) { return info != 0; });
  if (failure == infos.end()) return;
  std::string text =
      *failure == kNotFinite ? "the matrix has values that are not finite" : sentence(*failure);
  if (count > 1) text += fmt::format(" (matrix {} of the batch)", failure - infos.begin());
  throw std::runtime_error(text);
}

std::string not_converged(int /*info*/) {
  return "the algorithm did not converge";
}

template <typename T>
bool all_finite(const T* values, int64_t count) {
  return std::all_of(values, values + count, [](T value) { return std::isfinite(value); });
}

template bool all_finite(const float*, int64_t);
template bool all_finite(const double*, int64_t);

}  // namespace wick::runtime::lapack
