#include "wick/ir/hash.h"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

namespace wick {

Hash128 hash_bytes(std::string_view bytes) {
  Hash128 hash{bytes.size(), 0x6A09E667F3BCC908U};
  for (size_t at = 0; at < bytes.size(); at += sizeof(Hash128)) {
    uint64_t words[2] = {};
    std::memcpy(words, bytes.data() + at, std::min(sizeof words, bytes.size() - at));
    hash = combine(hash, Hash128{words[0], words[1]});
  }
  // A last round spreads the last block over all bits.
  return combine(hash, uint64_t{0x3C6EF372FE94F82BU});
}

std::string to_string(const Hash128& hash) {
  return fmt::format("{:016x}{:016x}", hash.high, hash.low);
}

}  // namespace wick
