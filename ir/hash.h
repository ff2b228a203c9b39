#pragma once

// 128-bit hashing of programs: stable between processes and platforms of one byte order.

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

namespace wick {

struct Hash128 {
  uint64_t low = 0;
  uint64_t high = 0;
  friend auto operator<=>(const Hash128&, const Hash128&) = default;
};

/// Order-sensitive mix, cheap enough for the recording path.
constexpr Hash128 combine(Hash128 a, Hash128 b) {
  const auto fold = [](uint64_t x, uint64_t y) {
    const auto product = static_cast<unsigned __int128>(x) * y;
    return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64U);
  };
  return {fold(a.low ^ 0x9E3779B97F4A7C15U, b.high ^ 0xBF58476D1CE4E5B9U) + (a.high << 1U) + b.low,
          fold(a.high ^ 0x94D049BB133111EBU, b.low ^ 0xD6E8FEB86659FD93U) + (a.low << 3U) + b.high};
}

constexpr Hash128 combine(Hash128 a, uint64_t word) {
  return combine(a, Hash128{word, word * 0xFF51AFD7ED558CCDU + 0x2545F4914F6CDD1DU});
}

Hash128 hash_bytes(std::string_view bytes);

/// 32 hexadecimal digits.
std::string to_string(const Hash128& hash);

struct HashOfHash128 {
  size_t operator()(const Hash128& hash) const { return static_cast<size_t>(hash.low ^ hash.high); }
};

}  // namespace wick
