// Windows of sorted lanes against the standard library's stable sort.

#include "wick/runtime/lane_sort.h"

#include <cmath>
#include <functional>
#include <numeric>
#include <random>

#include <gtest/gtest.h>

namespace wick::runtime {
namespace {

using Positions = std::vector<uint32_t>;

/// NaN last of rising elements, and first of falling ones.
template <typename T>
Positions sorted_positions(const std::vector<T>& x, bool descending) {
  Positions positions(x.size());
  std::iota(positions.begin(), positions.end(), 0U);
  std::ranges::stable_sort(positions, [&](uint32_t a, uint32_t b) {
    const T left = descending ? x[b] : x[a];
    const T right = descending ? x[a] : x[b];
    if constexpr (std::is_floating_point_v<T>) {
      if (std::isnan(left) || std::isnan(right)) return !std::isnan(left) && std::isnan(right);
    }
    return left < right;
  });
  return positions;
}

template <typename K, typename T>
Positions window_of(const std::vector<T>& x, int64_t stride, Window window, KeyOrder<T, K> order) {
  std::vector<T> strided(x.size() * static_cast<size_t>(stride));
  for (size_t i = 0; i < x.size(); ++i)
    strided[i * static_cast<size_t>(stride)] = x[i];
  LaneSort<T, K> sort(x.size(), window);
  Positions found;
  for (int run = 0; run < 2; ++run) {  // the second one finds used memory
    found.clear();
    sort({strided.data(), stride}, order, [&](uint32_t at) { found.push_back(at); });
  }
  return found;
}

template <typename K, typename T>
void expect_sorted(const std::vector<T>& x, Key<T> base = 0) {
  const size_t size = x.size();
  const Window windows[] = {{0, size},
                            {0, 1},
                            {1, std::min<size_t>(size, 5)},
                            {0, std::min<size_t>(size, 16)},
                            {size / 80, size / 70 + 1},
                            {size / 2, size / 2 + 1},
                            {size - 1, size}};
  for (const bool descending : {false, true}) {
    const Positions all = sorted_positions(x, descending);
    for (const Window window : windows) {
      if (window.begin >= window.end) continue;
      const Positions expected(all.begin() + static_cast<std::ptrdiff_t>(window.begin),
                               all.begin() + static_cast<std::ptrdiff_t>(window.end));
      for (const int64_t stride : {1, 3}) {
        const Positions found = window_of<K, T>(x, stride, window, {base, descending});
        ASSERT_EQ(found, expected) << size << " elements, " << window.begin << " to " << window.end
                                   << (descending ? ", falling" : ", rising");
      }
    }
  }
}

constexpr size_t kExtents[] = {1, 2, 16, 24, 25, 33, 63, 64, 65, 700, 5003, 40009};

template <typename T>
std::vector<T> made(size_t size, const std::function<T()>& next) {
  std::vector<T> x(size);
  std::ranges::generate(x, next);
  return x;
}

TEST(LaneSort, OfFloats) {
  std::minstd_rand bits(3);
  std::uniform_real_distribution<float> uniform(-1, 1);
  for (const size_t size : kExtents) {
    expect_sorted<uint32_t>(made<float>(size, [&] { return uniform(bits); }));
    expect_sorted<uint32_t>(made<float>(
        size, [&] { return std::exp2(60 * uniform(bits)) * (uniform(bits) < 0 ? -1 : 1); }));
    // Ties, zeros of both signs and NaN.
    expect_sorted<uint32_t>(made<float>(size, [&] {
      const auto number = static_cast<float>(bits() % 5) - 2;
      return number == 2 ? std::nanf("") : number == 0 && bits() % 2 == 0 ? -0.0F : number;
    }));
    expect_sorted<uint32_t>(std::vector<float>(size, 1.5F));
    expect_sorted<uint64_t>(made<double>(size, [&] { return double{uniform(bits)}; }));
  }
}

TEST(LaneSort, OfIntegersWithEqualUpperHalves) {
  std::mt19937_64 bits(5);
  for (const size_t size : kExtents) {
    expect_sorted<uint64_t>(made<int64_t>(size, [&] { return static_cast<int64_t>(bits()); }));
    expect_sorted<uint64_t>(made<int64_t>(
        size, [&] { return static_cast<int64_t>(bits() % 3 << 32U | bits() % 1000); }));
    expect_sorted<uint64_t>(made<int64_t>(size, [&] { return static_cast<int64_t>(bits() % 7); }));
    expect_sorted<uint32_t>(
        made<int64_t>(size, [&] { return static_cast<int64_t>(bits() % 1000003) - 500000; }),
        key_of(int64_t{-500000}));
    expect_sorted<uint32_t>(made<uint8_t>(size, [&] { return static_cast<uint8_t>(bits()); }));
  }
}

}  // namespace
}  // namespace wick::runtime
