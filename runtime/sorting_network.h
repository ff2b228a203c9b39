#pragma once

// Sorts many short lanes at once, side by side in vectors. Internal to runtime/.

#include <cstddef>
#include <cstdint>
#include <vector>

namespace wick::runtime {

/// Which pairs of a lane's numbers to put in order, one after the other, whatever they are:
/// Batcher's merge exchange (Knuth, volume 3, 5.2.2, algorithm M).
class SortingNetwork {
 public:
  /// So many lanes are sorted at once.
  static constexpr size_t kLanes = 16;
  /// Longer lanes leave the first cache, and take less time when they are sorted by themselves.
  static constexpr size_t kLongest = 256;

  /// Rows of which the lesser numbers go to the first.
  struct Pair {
    uint16_t low;
    uint16_t high;
  };

  explicit SortingNetwork(size_t extent);

  /// Whether this machine puts numbers of 64 bits in order in vectors.
  static bool is_fast();

  /// Sorts each column of numbers[extent][kLanes], which begins at a line of the cache.
  void operator()(int64_t* numbers) const;

 private:
  std::vector<Pair> pairs_;
};

}  // namespace wick::runtime
