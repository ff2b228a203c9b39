#include "wick/runtime/index_shares.h"

#include <algorithm>

#include "wick/runtime/division.h"
#include "wick/runtime/parallel.h"

namespace wick::runtime {
namespace {

constexpr int64_t kBlock = 4096;  // indices that are looked at together
constexpr int64_t kLook = 8;  // blocks that are looked at first, and that each thread has at least

struct Range {
  int64_t least;
  int64_t most;
};

Range range_of(std::span<const int64_t> indices, int64_t block) {
  const auto from = static_cast<size_t>(block * kBlock);
  const auto some = indices.subspan(from, std::min<size_t>(kBlock, indices.size() - from));
  Range range{some[0], some[0]};
  for (const int64_t index : some)
    range = {std::min(range.least, index), std::max(range.most, index)};
  return range;
}

/// By a few of the blocks.
bool seem_ordered(std::span<const int64_t> indices, int64_t blocks) {
  int64_t most = -1;
  for (int64_t i = 0; i < kLook; ++i) {
    const Range range = range_of(indices, blocks * i / kLook);
    if (range.least < most) return false;
    most = range.most;
  }
  return true;
}

}  // namespace

std::vector<IndexShare> share_indices(std::span<const int64_t> indices,
                                      int64_t slices,
                                      int threads) {
  const int64_t blocks = ceil_div(static_cast<int64_t>(indices.size()), kBlock);
  if (blocks < kLook * threads || !seem_ordered(indices, blocks)) return {};
  std::vector<Range> ranges(static_cast<size_t>(blocks));
  parallel_ranges(blocks, 1, [&](int64_t begin, int64_t end) {
    for (int64_t block = begin; block < end; ++block)
      ranges[static_cast<size_t>(block)] = range_of(indices, block);
  });
  std::vector<IndexShare> shares;
  int64_t visited = 0;
  int64_t first_slice = 0;
  for (int thread = 0; thread < threads; ++thread) {
    const auto next = static_cast<size_t>(blocks * (thread + 1) / threads);
    const int64_t end_slice =
        next == ranges.size() ? slices : std::max(first_slice, ranges[next].least);
    const auto has_some = [&](const Range& range) {
      return range.most >= first_slice && range.least < end_slice;
    };
    const auto begin = std::ranges::find_if(ranges, has_some) - ranges.begin();
    const auto end = ranges.rend() - std::find_if(ranges.rbegin(), ranges.rend(), has_some);
    if (begin < end) {
      shares.push_back({.first_slice = first_slice,
                        .end_slice = end_slice,
                        .begin = begin * kBlock,
                        .end = std::min(end * kBlock, static_cast<int64_t>(indices.size()))});
      visited += end - begin;
    }
    first_slice = end_slice;
  }
  const int64_t most_visited = blocks + int64_t{2} * threads;
  return visited > most_visited ? std::vector<IndexShare>() : shares;
}

}  // namespace wick::runtime
