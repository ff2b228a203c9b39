#pragma once

// Internal to runtime/.

#include <cstdint>
#include <span>
#include <vector>

namespace wick::runtime {

/// Slices that one thread updates, and where in the list of indices all of theirs are.
struct IndexShare {
  int64_t first_slice;
  int64_t end_slice;
  int64_t begin;
  int64_t end;
};

/// Shares of updates at these indices, in [0, slices), that threads can make at once: together they
/// have each slice once, and together go over little more than all indices. Empty where there is
/// no such order in them, or too few.
std::vector<IndexShare> share_indices(std::span<const int64_t> indices,
                                      int64_t slices,
                                      int threads);

}  // namespace wick::runtime
