#include "wick/codegen/llvm/philox.h"

namespace wick::codegen::llvm_jit {

namespace {

/// 32-bit numbers in 64-bit lanes, as the widening multiply wants them; the upper halves are
/// anything.
using Words = std::array<llvm::Value*, 4>;

Words philox_round(EmitContext& e, const Words& in, llvm::Value* key0, llvm::Value* key1) {
  auto& b = e.b;
  const auto product = [&](llvm::Value* word, int64_t factor) {
    return b.CreateMul(b.CreateAnd(word, integer(word, 0xFFFFFFFF)), integer(word, factor));
  };
  llvm::Value* product0 = product(in[0], 0xD2511F53);
  llvm::Value* product1 = product(in[2], 0xCD9E8D57);
  llvm::Value* high0 = b.CreateLShr(product0, 32);
  llvm::Value* high1 = b.CreateLShr(product1, 32);
  return {b.CreateXor(b.CreateXor(high1, in[1]), key0),
          product1,
          b.CreateXor(b.CreateXor(high0, in[3]), key1),
          product0};
}

llvm::Value* random_bits(EmitContext& e,
                         llvm::Value* key,
                         llvm::Value* offset,
                         llvm::Value* element) {
  auto& b = e.b;
  const Words words = emit_random_words(e, key, offset, element);
  llvm::Value* zero = integer(key, 0);
  llvm::Value* bit0 = b.CreateICmpNE(b.CreateAnd(element, integer(key, 16)), zero);
  llvm::Value* bit1 = b.CreateICmpNE(b.CreateAnd(element, integer(key, 32)), zero);
  llvm::Value* even = b.CreateSelect(bit1, words[2], words[0]);
  llvm::Value* odd = b.CreateSelect(bit1, words[3], words[1]);
  return b.CreateSelect(bit0, odd, even);
}

/// random_bits of a vector in a function of its own, since it is long.
llvm::Function* random_bits_function(EmitContext& e, llvm::Type* vector) {
  constexpr auto kName = "random_bits";
  if (llvm::Function* found = e.module.getFunction(kName)) return found;
  auto* type =
      llvm::FunctionType::get(e.vector_of(e.b.getInt32Ty()), {vector, vector, vector}, false);
  auto* function =
      llvm::Function::Create(type, llvm::GlobalValue::InternalLinkage, kName, &e.module);
  function->addFnAttr(llvm::Attribute::NoInline);
  const llvm::IRBuilderBase::InsertPointGuard guard(e.b);
  e.b.SetInsertPoint(llvm::BasicBlock::Create(e.b.getContext(), "entry", function));
  e.b.CreateRet(random_bits(e, function->getArg(0), function->getArg(1), function->getArg(2)));
  return function;
}

}  // namespace

std::array<llvm::Value*, 4> emit_random_words(EmitContext& e,
                                              llvm::Value* key,
                                              llvm::Value* offset,
                                              llvm::Value* element) {
  auto& b = e.b;
  llvm::Value* quarter = b.CreateShl(b.CreateAShr(element, 6), 4);
  llvm::Value* counter =
      b.CreateAdd(offset, b.CreateOr(quarter, b.CreateAnd(element, integer(key, 15))));
  llvm::Value* zero = integer(key, 0);
  Words words = {counter, b.CreateLShr(counter, 32), zero, zero};
  llvm::Value* key0 = key;
  llvm::Value* key1 = b.CreateLShr(key, 32);
  constexpr int kRounds = 10;
  for (int round = 0; round < kRounds; ++round) {
    words = philox_round(e, words, key0, key1);
    key0 = b.CreateAdd(key0, integer(key, 0x9E3779B9));
    key1 = b.CreateAdd(key1, integer(key, 0xBB67AE85));
  }
  for (llvm::Value*& word : words)
    word = b.CreateTrunc(word, shaped(b.getInt32Ty(), key));
  return words;
}

llvm::Value* emit_random_bits(EmitContext& e,
                              llvm::Value* key,
                              llvm::Value* offset,
                              llvm::Value* element) {
  if (!is_vector(key)) return random_bits(e, key, offset, element);
  return e.b.CreateCall(random_bits_function(e, key->getType()), {key, offset, element});
}

}  // namespace wick::codegen::llvm_jit
