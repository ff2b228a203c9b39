#pragma once

// What a careful programmer would write for one row: its floor.

#include <span>

namespace wick::bench {

/// out[i] = sum over j of x[i]*y[j] + z[j], on all threads. The length of y is a multiple of 64.
void outer_sum_by_hand(std::span<const float> x,
                       std::span<const float> y,
                       std::span<const float> z,
                       std::span<float> out);

}  // namespace wick::bench
