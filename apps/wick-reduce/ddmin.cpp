#include "ddmin.h"

#include <algorithm>
#include <iterator>
#include <numeric>

namespace wick::reduce {

namespace {

/// `count` parts of nearly equal length, the last part of the list first.
std::vector<Positions> split(const Positions& kept, size_t count) {
  std::vector<Positions> chunks;
  const auto at = [&](size_t i) {
    return kept.begin() + static_cast<std::ptrdiff_t>(kept.size() * i / count);
  };
  for (size_t i = count; i-- > 0;)
    chunks.emplace_back(at(i), at(i + 1));
  return chunks;
}

std::vector<Positions> complements(const Positions& kept, const std::vector<Positions>& chunks) {
  std::vector<Positions> rests;
  for (const Positions& chunk : chunks) {
    Positions& rest = rests.emplace_back();
    std::ranges::set_difference(kept, chunk, std::back_inserter(rest));
  }
  return rests;
}

}  // namespace

Positions minimize(size_t count, const FirstInteresting& first_interesting) {
  Positions kept(count);
  std::iota(kept.begin(), kept.end(), size_t{0});
  size_t parts = 2;
  while (kept.size() >= 2) {
    parts = std::min(parts, kept.size());
    const std::vector<Positions> chunks = split(kept, parts);
    if (const auto chunk = first_interesting(chunks)) {
      kept = chunks[*chunk];
      parts = 2;
      continue;
    }
    // Of two parts each is the other's complement.
    const auto rests = parts == 2 ? std::vector<Positions>() : complements(kept, chunks);
    if (const auto rest = first_interesting(rests)) {
      kept = rests[*rest];
      parts = std::max<size_t>(parts - 1, 2);
    } else if (parts == kept.size()) {
      break;
    } else {
      parts *= 2;
    }
  }
  return kept;
}

}  // namespace wick::reduce
