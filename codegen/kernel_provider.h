#pragma once

// Where plans get the machine code of their kernels.

#include <span>
#include <vector>

#include "wick/codegen/kernel_ir.h"

namespace wick::codegen {

/// A kernel that can be called. The function stays callable until the process ends.
struct ProvidedKernel {
  KernelFunction function = nullptr;  // null: the kernel interpreter has to run it
};

/// What a backend writes to bring a code generator of its own.
class KernelProvider {
 public:
  KernelProvider() = default;
  KernelProvider(const KernelProvider&) = delete;
  KernelProvider& operator=(const KernelProvider&) = delete;
  virtual ~KernelProvider() = default;

  /// One for each of the kernels of a program, no two of which are equal, in their order. What it
  /// throws ends the compile of the program. Called from many threads.
  virtual std::vector<ProvidedKernel> provide(std::span<const Kernel* const> kernels) = 0;
};

}  // namespace wick::codegen
