#pragma once

// Kernels by LLVM, kept by the process and on disk.

#include "wick/codegen/kernel_provider.h"

namespace wick::runtime {

/// From codegen::KernelCache; missing kernels are compiled side by side.
codegen::KernelProvider& cached_kernels();

}  // namespace wick::runtime
