#pragma once

// Packs blocks with known lifetimes into one arena. Internal to passes/ and to the plan builder,
// which places the scratch of calls.

#include <cstddef>
#include <utility>
#include <vector>

namespace wick::passes {

inline constexpr size_t kArenaAlignment = 64;

constexpr size_t align_up(size_t bytes) {
  return (bytes + kArenaAlignment - 1) / kArenaAlignment * kArenaAlignment;
}

/// Bytes from the first to behind the last.
using ByteRange = std::pair<size_t, size_t>;

/// The start of the smallest gap between the occupied ranges (sorted by begin) that holds `bytes`;
/// behind all of them where there is none.
size_t best_gap(const std::vector<ByteRange>& occupied, size_t bytes);

/// Busy from `begin` to `end`, both included.
struct ArenaBlock {
  size_t bytes = 0;
  int begin = 0;
  int end = 0;
};

struct ArenaLayout {
  std::vector<size_t> offsets;  // one a block
  size_t bytes = 0;
};

/// Offsets such that blocks busy at one time do not overlap, in little memory: the better of
/// best fit in orders that begin with the largest (for graphs of moderate size, where its quadratic
/// time is small) and a walk through time with best fit among the free gaps, which is nearly
/// linear.
ArenaLayout place_in_arena(const std::vector<ArenaBlock>& blocks);

}  // namespace wick::passes
