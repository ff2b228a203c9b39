#include "wick/ir/interpret_rules.h"
#include "wick/ir/interpreter.h"

namespace wick::ir {

PhiloxWords philox(uint64_t key, uint64_t counter) {
  constexpr uint64_t kMultiplier0 = 0xD2511F53U;
  constexpr uint64_t kMultiplier1 = 0xCD9E8D57U;
  constexpr uint32_t kWeyl0 = 0x9E3779B9U;
  constexpr uint32_t kWeyl1 = 0xBB67AE85U;
  constexpr int kRounds = 10;
  auto key0 = static_cast<uint32_t>(key);
  auto key1 = static_cast<uint32_t>(key >> 32U);
  uint32_t c[4] = {static_cast<uint32_t>(counter), static_cast<uint32_t>(counter >> 32U), 0, 0};
  for (int round = 0; round < kRounds; ++round) {
    const uint64_t product0 = kMultiplier0 * c[0];
    const uint64_t product1 = kMultiplier1 * c[2];
    c[0] = static_cast<uint32_t>(product1 >> 32U) ^ c[1] ^ key0;
    c[1] = static_cast<uint32_t>(product1);
    c[2] = static_cast<uint32_t>(product0 >> 32U) ^ c[3] ^ key1;
    c[3] = static_cast<uint32_t>(product0);
    key0 += kWeyl0;
    key1 += kWeyl1;
  }
  return {{c[0], c[1], c[2], c[3]}};
}

Literal interpret_random_bits(const OpCall& call) {
  const auto key = static_cast<uint64_t>(call.operand(0).as_integer(0));
  const auto offset = static_cast<uint64_t>(call.operand(1).as_integer(0));
  Literal result(call.result);
  const std::span<int32_t> out = result.mutable_values<int32_t>();
  for (size_t e = 0; e < out.size(); ++e) {
    const PhiloxWords block = philox(key, offset + e / 64 * 16 + e % 16);
    out[e] = static_cast<int32_t>(block.words[e / 16 % 4]);
  }
  return result;
}

}  // namespace wick::ir
