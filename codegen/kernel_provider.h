#pragma once

// Where plans get the machine code of their kernels.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "wick/codegen/kernel_ir.h"

namespace wick::codegen {

/// Where a kernel came from.
struct KernelOrigin {
  enum class Level : uint8_t { memory, disk, compiled };
  Level level = Level::compiled;
  double milliseconds = 0;  // to load or compile it; 0: not known
};

/// A kernel that can be called. The function stays callable until the process ends.
struct ProvidedKernel {
  KernelFunction function = nullptr;  // null: the kernel interpreter has to run it
  KernelOrigin origin;
};

/// A text that a code generator makes of a kernel.
struct CodeListing {
  std::string language;   // "LLVM IR"
  std::string extension;  // of a file that holds it: "ll"
  std::string text;
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

  /// What became of a kernel on its way to machine code, for dumps; asked for only then. `params`
  /// is the table of a launch, for generators that make a code for some kinds of shapes.
  virtual std::vector<CodeListing> listings(const Kernel& /*kernel*/,
                                            std::span<const int64_t> /*params*/) {
    return {};
  }

  /// Everything besides the kernel that decides its code, such as the processor: for dumps.
  virtual std::string target() { return {}; }
};

}  // namespace wick::codegen
