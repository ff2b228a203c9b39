#include "wick/runtime/sorting_network.h"

#include <bit>

namespace wick::runtime {

namespace {

using Numbers __attribute__((vector_size(64), may_alias)) = int64_t;

constexpr size_t kVectors = SortingNetwork::kLanes * sizeof(int64_t) / sizeof(Numbers);

__attribute__((target_clones("avx512f", "avx2", "default"))) void exchange(
    int64_t* numbers, const SortingNetwork::Pair* pairs, size_t count) {
  auto* const rows = reinterpret_cast<Numbers*>(numbers);
  for (size_t i = 0; i < count; ++i) {
    Numbers* const low = rows + pairs[i].low * kVectors;
    Numbers* const high = rows + pairs[i].high * kVectors;
    for (size_t v = 0; v < kVectors; ++v) {
      const Numbers a = low[v];
      const Numbers b = high[v];
      low[v] = a < b ? a : b;
      high[v] = a < b ? b : a;
    }
  }
}

}  // namespace

SortingNetwork::SortingNetwork(size_t extent) {
  const size_t longest = std::bit_ceil(extent) / 2;
  for (size_t p = longest; p > 0; p /= 2) {
    size_t distance = p;
    size_t wanted = 0;
    for (size_t q = longest;; q /= 2) {
      for (size_t i = 0; i + distance < extent; ++i) {
        if ((i & p) != wanted) continue;
        pairs_.push_back({static_cast<uint16_t>(i), static_cast<uint16_t>(i + distance)});
      }
      if (q == p) break;
      distance = q - p;
      wanted = p;
    }
  }
}

bool SortingNetwork::is_fast() {
  return __builtin_cpu_supports("avx2") != 0;
}

void SortingNetwork::operator()(int64_t* numbers) const {
  exchange(numbers, pairs_.data(), pairs_.size());
}

}  // namespace wick::runtime
