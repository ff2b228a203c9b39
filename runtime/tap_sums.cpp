#include "wick/runtime/tap_sums.h"

#include <array>
#include <utility>

#include "wick/runtime/vector_lanes.h"

namespace wick::runtime {
namespace {

/// All sums stay in registers. Two vectors of the cotangent at a time share the offset of a tap,
/// which is loaded each time: there are too few registers for them, and compilers would rather keep
/// them in those of vectors.
template <int64_t kTaps>
WICK_VECTORS void add_products(const TapRows& task, const int64_t* taps, float* sums) {
  const volatile int64_t* offsets = taps;
  Floats totals[kTaps];
#pragma GCC unroll 16
  for (int64_t tap = 0; tap < kTaps; ++tap)
    totals[tap] = load(sums + tap * kLanes);
  for (int64_t row = 0; row < task.rows; ++row) {
    const float* cotangent = task.cotangent + row * task.cotangent_row;
    const float* source = task.source + row * task.source_row;
    int64_t left = task.vectors;
    for (; left >= 2; left -= 2) {
      const Floats first = load(cotangent);
      const Floats second = load(cotangent + task.cotangent_step);
#pragma GCC unroll 16
      for (int64_t tap = 0; tap < kTaps; ++tap) {
        const float* at = source + offsets[tap];
        totals[tap] += first * load(at);
        totals[tap] += second * load(at + task.source_step);
      }
      cotangent += 2 * task.cotangent_step;
      source += 2 * task.source_step;
    }
    if (left == 0) continue;
    const Floats last = load(cotangent);
#pragma GCC unroll 16
    for (int64_t tap = 0; tap < kTaps; ++tap)
      totals[tap] += last * load(source + offsets[tap]);
  }
#pragma GCC unroll 16
  for (int64_t tap = 0; tap < kTaps; ++tap)
    store(sums + tap * kLanes, totals[tap]);
}

template <int64_t... kIndices>
constexpr TapKernels kernels_of(std::integer_sequence<int64_t, kIndices...> /*indices*/) {
  return {.lanes = kLanes, .add_products = {add_products<kIndices + 1>...}};
}

}  // namespace

template <>
const TapKernels& tap_kernels<kLanes>() {
  static constexpr TapKernels kKernels =
      kernels_of(std::make_integer_sequence<int64_t, TapKernels::kMostTaps>());
  return kKernels;
}

}  // namespace wick::runtime
