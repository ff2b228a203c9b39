// What stands for llvm_backend.cpp where Wick is built without LLVM.

#include "wick/codegen/kernel_compiler.h"
#include "wick/runtime/built_in_backends.h"

namespace wick::runtime {
namespace {

/// Says what is missing at the first program, also at one that would need no kernel.
class NoLlvmBackend final : public Backend {
 public:
  std::string_view name() const override { return "llvm"; }

  std::unique_ptr<Executable> compile(std::unique_ptr<ir::Graph> /*graph*/,
                                      CompileRecord* /*record*/) override {
    codegen::llvm_compiler();  // throws
    return nullptr;
  }
};

}  // namespace

std::unique_ptr<Backend> make_llvm_backend() {
  return std::make_unique<NoLlvmBackend>();
}

}  // namespace wick::runtime
