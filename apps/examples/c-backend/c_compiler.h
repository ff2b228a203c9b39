#pragma once

// Kernels by way of the system's C compiler.

#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "wick/codegen/kernel_provider.h"

namespace c_backend {

/// Emits C for the kernels of a program that are new, in one file, compiles and opens it. Kernels
/// live as long as the process.
///
/// CC names the compiler (cc if it is not set), CFLAGS adds to its options, WICK_C_KEEP=DIR keeps
/// the C files there.
class CKernels final : public wick::codegen::KernelProvider {
 public:
  /// Throws std::runtime_error with what the compiler said.
  std::vector<wick::codegen::ProvidedKernel> provide(
      std::span<const wick::codegen::Kernel* const> kernels) override;

 private:
  void compile(const std::vector<const wick::codegen::Kernel*>& kernels);

  std::mutex mutex_;
  int num_files_ = 0;
  std::unordered_map<std::string, wick::codegen::KernelFunction> functions_;  // by kernel IR
};

}  // namespace c_backend
