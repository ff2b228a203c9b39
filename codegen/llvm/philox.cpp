#include "wick/codegen/llvm/philox.h"

#include <array>

namespace wick::codegen::llvm_jit {

namespace {

/// 32-bit numbers in 64-bit lanes, upper halves zero: what the widening multiply wants.
struct Words {
  std::array<llvm::Value*, 4> w;
};

Words philox_round(EmitContext& e, const Words& in, llvm::Value* key0, llvm::Value* key1) {
  auto& b = e.b;
  llvm::Value* low = integer(key0, 0xFFFFFFFF);
  llvm::Value* product0 = b.CreateMul(in.w[0], integer(key0, 0xD2511F53));
  llvm::Value* product1 = b.CreateMul(in.w[2], integer(key0, 0xCD9E8D57));
  llvm::Value* high0 = b.CreateLShr(product0, 32);
  llvm::Value* high1 = b.CreateLShr(product1, 32);
  return {{b.CreateXor(b.CreateXor(high1, in.w[1]), key0),
           b.CreateAnd(product1, low),
           b.CreateXor(b.CreateXor(high0, in.w[3]), key1),
           b.CreateAnd(product0, low)}};
}

}  // namespace

llvm::Value* emit_random_bits(EmitContext& e,
                              llvm::Value* key,
                              llvm::Value* offset,
                              llvm::Value* element) {
  auto& b = e.b;
  llvm::Value* low = integer(key, 0xFFFFFFFF);
  // Element 64 q + 16 w + r is word w of counter offset + 16 q + r.
  llvm::Value* quarter = b.CreateShl(b.CreateAShr(element, 6), 4);
  llvm::Value* counter =
      b.CreateAdd(offset, b.CreateOr(quarter, b.CreateAnd(element, integer(key, 15))));
  llvm::Value* zero = integer(key, 0);
  Words words{{b.CreateAnd(counter, low), b.CreateLShr(counter, 32), zero, zero}};
  llvm::Value* key0 = b.CreateAnd(key, low);
  llvm::Value* key1 = b.CreateLShr(key, 32);
  constexpr int kRounds = 10;
  for (int round = 0; round < kRounds; ++round) {
    words = philox_round(e, words, key0, key1);
    if (round + 1 == kRounds) break;
    key0 = b.CreateAnd(b.CreateAdd(key0, integer(key, 0x9E3779B9)), low);
    key1 = b.CreateAnd(b.CreateAdd(key1, integer(key, 0xBB67AE85)), low);
  }
  llvm::Value* bit0 = b.CreateICmpNE(b.CreateAnd(element, integer(key, 16)), zero);
  llvm::Value* bit1 = b.CreateICmpNE(b.CreateAnd(element, integer(key, 32)), zero);
  llvm::Value* even = b.CreateSelect(bit1, words.w[2], words.w[0]);
  llvm::Value* odd = b.CreateSelect(bit1, words.w[3], words.w[1]);
  return b.CreateTrunc(b.CreateSelect(bit0, odd, even), shaped(b.getInt32Ty(), key));
}

}  // namespace wick::codegen::llvm_jit
