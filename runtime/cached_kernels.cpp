#include "wick/runtime/cached_kernels.h"

#include "wick/codegen/kernel_compiler.h"
#include "wick/runtime/parallel.h"

namespace wick::runtime {

namespace {

class CachedKernels final : public codegen::KernelProvider {
 public:
  std::vector<codegen::ProvidedKernel> provide(
      std::span<const codegen::Kernel* const> kernels) override {
    std::vector<codegen::ProvidedKernel> provided(kernels.size());
    // Made here: its constructor reads the switches in force on this thread.
    codegen::KernelCache& cache = codegen::KernelCache::instance();
    parallel_for(static_cast<int64_t>(kernels.size()), [&](int64_t i) {
      const auto at = static_cast<size_t>(i);
      provided[at].function = cache.get(*kernels[at], &provided[at].origin);
    });
    return provided;
  }

  std::vector<codegen::CodeListing> listings(const codegen::Kernel& kernel,
                                             std::span<const int64_t> /*params*/) override {
    codegen::KernelCompiler& compiler = codegen::llvm_compiler();
    return {{"LLVM IR", "ll", compiler.llvm_ir(kernel)},
            {"assembly", "s", compiler.assembly(kernel)}};
  }

  std::string target() override { return codegen::llvm_compiler().target_id(); }
};

}  // namespace

codegen::KernelProvider& cached_kernels() {
  static CachedKernels kernels;
  return kernels;
}

}  // namespace wick::runtime
