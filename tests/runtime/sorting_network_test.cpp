#include "wick/runtime/sorting_network.h"

#include <algorithm>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace wick::runtime {
namespace {

constexpr size_t kLanes = SortingNetwork::kLanes;

struct Lanes {
  struct alignas(64) Row {
    int64_t numbers[kLanes];
  };

  explicit Lanes(size_t extent) : rows(extent) {}

  /// Whether the network sorts each lane and keeps its numbers.
  [[nodiscard]] bool are_sorted_by(const SortingNetwork& network) const {
    std::vector<Row> sorted = rows;
    network(sorted.data()->numbers);
    for (size_t lane = 0; lane < kLanes; ++lane) {
      std::vector<int64_t> expected;
      std::vector<int64_t> found;
      for (size_t i = 0; i < rows.size(); ++i) {
        expected.push_back(rows[i].numbers[lane]);
        found.push_back(sorted[i].numbers[lane]);
      }
      std::ranges::sort(expected);
      if (found != expected) return false;
    }
    return true;
  }

  std::vector<Row> rows;
};

// A network that sorts all zeros and ones sorts everything (Knuth, volume 3, 5.3.4, theorem Z).
TEST(SortingNetwork, SortsAllZerosAndOnes) {
  for (size_t extent = 1; extent <= 13; ++extent) {
    const SortingNetwork network(extent);
    for (size_t first = 0; first < size_t{1} << extent; first += kLanes) {
      Lanes lanes(extent);
      for (size_t i = 0; i < extent; ++i) {
        for (size_t lane = 0; lane < kLanes; ++lane)
          lanes.rows[i].numbers[lane] = static_cast<int64_t>((first + lane) >> i & 1U);
      }
      ASSERT_TRUE(lanes.are_sorted_by(network)) << extent << " from " << first;
    }
  }
}

TEST(SortingNetwork, SortsLanesOfAnyLength) {
  std::mt19937_64 random(3);
  for (size_t extent = 1; extent <= SortingNetwork::kLongest; ++extent) {
    Lanes lanes(extent);
    for (Lanes::Row& row : lanes.rows) {
      for (int64_t& number : row.numbers)
        number = static_cast<int64_t>(random());
    }
    ASSERT_TRUE(lanes.are_sorted_by(SortingNetwork(extent))) << extent;
  }
}

}  // namespace
}  // namespace wick::runtime
