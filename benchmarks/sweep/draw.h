#pragma once

// Shapes and choices drawn at random: the same for a seed, whichever library a program is for.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <numeric>
#include <random>
#include <string>
#include <vector>

namespace sweep {

using Extents = std::vector<int64_t>;

inline int64_t product(const Extents& extents) {
  return std::accumulate(extents.begin(), extents.end(), int64_t{1}, std::multiplies());
}

/// "3x4".
inline std::string text(const Extents& extents) {
  std::string out;
  for (const int64_t extent : extents)
    out += (out.empty() ? "" : "x") + std::to_string(extent);
  return out;
}

class Draw {
 public:
  explicit Draw(uint64_t seed) : generator_(seed) {}

  /// In [0, end).
  int64_t below(int64_t end) {
    return static_cast<int64_t>(generator_() % static_cast<uint64_t>(end));
  }

  bool one_in(int64_t count) { return below(count) == 0; }

  /// In [low, high], as often small as large.
  int64_t between(int64_t low, int64_t high) {
    const double steps = std::log(static_cast<double>(high) / static_cast<double>(low));
    const double part = static_cast<double>(below(1 << 20)) / (1 << 20);
    return std::min(high, static_cast<int64_t>(static_cast<double>(low) * std::exp(steps * part)));
  }

  int64_t of(std::initializer_list<int64_t> choices) {
    return choices.begin()[below(static_cast<int64_t>(choices.size()))];
  }

  /// Odd ones and such as programs like, of 16 thousand to a million elements.
  Extents extents(int64_t axes) {
    const int64_t most = int64_t{1} << (14 + below(7));
    if (axes == 1) return {between(most / 2, most)};
    for (;;) {
      Extents drawn;
      for (int64_t i = 0; i < axes; ++i)
        drawn.push_back(one_in(2) ? between(2, 2000) : of({2, 3, 4, 8, 10, 16, 32, 64, 100, 256}));
      const int64_t count = product(drawn);
      if (count <= most && count > most / 4) return drawn;
    }
  }

  /// The axes in another order.
  Extents order(int64_t axes) {
    Extents drawn(static_cast<size_t>(axes));
    std::iota(drawn.begin(), drawn.end(), 0);
    do
      std::shuffle(drawn.begin(), drawn.end(), generator_);
    while (axes > 1 && std::is_sorted(drawn.begin(), drawn.end()));
    return drawn;
  }

 private:
  std::mt19937_64 generator_;
};

}  // namespace sweep
