// What stands for emit_cuda.cpp where Wick is built without CUDA support.

#include <stdexcept>

#include "emit_cuda.h"

namespace wick::tools {
namespace {

[[noreturn]] void fail() {
  throw std::invalid_argument("--emit=cuda: this Wick was built without CUDA support");
}

}  // namespace

std::string cuda_symbol(const codegen::KernelLaunch& /*launch*/) {
  fail();
}

std::string cuda_text(const codegen::KernelLaunch& /*launch*/) {
  fail();
}

}  // namespace wick::tools
