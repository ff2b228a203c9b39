#pragma once

// Random numbers for the host side of data pipelines: small, seeded, the same everywhere.

#include <cstdint>

namespace wick::data {

/// SplitMix64 (Steele, Lea and Flood, 2014).
class SplitMix {
 public:
  explicit SplitMix(uint64_t seed) : state_(seed) {}

  uint64_t next() {
    state_ += 0x9e3779b97f4a7c15ULL;
    uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
  }

  /// In [0, bound), bound > 0. The bias of the remainder is below bound / 2^64.
  uint64_t below(uint64_t bound) { return next() % bound; }

  /// Uniform in [low, high).
  double uniform(double low, double high) {
    constexpr double kUnit = 1.0 / 9007199254740992.0;  // 2^-53
    return low + (high - low) * static_cast<double>(next() >> 11) * kUnit;
  }

 private:
  uint64_t state_;
};

}  // namespace wick::data
