// What stands for llvm_loader.cpp where Wick is built without LLVM.

#include <stdexcept>

#include "wick/codegen/kernel_compiler.h"

namespace wick::codegen {

KernelCompiler& llvm_compiler() {
  throw std::runtime_error(
      "this Wick was built without LLVM, so backend 'llvm' cannot compile: choose another backend, "
      "or build with -DWICK_LLVM=ON");
}

}  // namespace wick::codegen
