#pragma once

// A backend whose kernels are CUDA text run on the host; all else is as with "llvm". Which forms of
// a kernel are needed is known when it runs, and compiling text takes long, so programs run twice.

#include "emulated_kernels.h"

namespace wick::codegen::cuda::test {

/// Registers the backend "cuda-emulated". Needs Options::num_threads = 1: a launch is run whole.
void register_emulated_backend();

/// The texts of all kernels that ran so far, by the kernel interpreter.
EmulatedKernels& emulated_kernels();

/// From now on kernels run as text. emulated_kernels() has to be compiled.
void run_emulated();

}  // namespace wick::codegen::cuda::test
