// Philox 4x32-10 (Salmon et al., 2011), as ir/philox.cpp numbers its words: 64 elements behind each
// other are the four words of 16 counters.

namespace wick {

inline i32 random_bits(i64 key, i64 offset, i64 element) {
  const u64 counter = u64(offset) + u64(element / 64 * 16 + element % 16);
  u32 key0 = u32(key);
  u32 key1 = u32(u64(key) >> 32);
  u32 c[4] = {u32(counter), u32(counter >> 32), 0, 0};
#pragma unroll
  for (int round = 0; round < 10; ++round) {
    const u64 product0 = u64(0xD2511F53u) * c[0];
    const u64 product1 = u64(0xCD9E8D57u) * c[2];
    c[0] = u32(product1 >> 32) ^ c[1] ^ key0;
    c[1] = u32(product1);
    c[2] = u32(product0 >> 32) ^ c[3] ^ key1;
    c[3] = u32(product0);
    key0 += 0x9E3779B9u;
    key1 += 0xBB67AE85u;
  }
  const int word = int(element / 16 % 4);
  return i32(word < 2 ? (word == 0 ? c[0] : c[1]) : (word == 2 ? c[2] : c[3]));
}

}  // namespace wick
