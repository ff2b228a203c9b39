// Opens libwick-llvm.so.

#include "wick/codegen/kernel_compiler.h"
#include "wick/codegen/lazy_library.h"

namespace wick::codegen {

namespace {

KernelCompiler& open_compiler() {
  using Create = KernelCompiler*();
  constexpr LazyLibrary kLibrary{"libwick-llvm.so", "codegen/llvm/", "the LLVM compiler"};
  return *reinterpret_cast<Create*>(entry_of(kLibrary, "wick_create_llvm_compiler"))();
}

}  // namespace

KernelCompiler& llvm_compiler() {
  // A failed attempt throws and is tried again at the next call.
  static KernelCompiler& compiler = open_compiler();
  return compiler;
}

}  // namespace wick::codegen
