// Compiled for the machine that it runs on, vectors included.

#include "rows/outer_sum_by_hand.h"

#include <cstddef>

namespace wick::bench {

void outer_sum_by_hand(std::span<const float> x,
                       std::span<const float> y,
                       std::span<const float> z,
                       std::span<float> out) {
  constexpr size_t kLanes = 64;  // several vectors of sums, so that additions overlap
#pragma omp parallel for
  for (size_t row = 0; row < x.size(); ++row) {
    float sums[kLanes] = {};
    for (size_t i = 0; i < y.size(); i += kLanes) {
      for (size_t lane = 0; lane < kLanes; ++lane)
        sums[lane] += x[row] * y[i + lane] + z[i + lane];
    }
    float total = 0;
    for (const float each : sums)
      total += each;
    out[row] = total;
  }
}

}  // namespace wick::bench
