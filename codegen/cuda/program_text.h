#pragma once

// CUDA C++ text of kernels: several to a program, so that the compiler starts once.
//
// Arguments of a kernel, as cuLaunchKernel takes them (an array of pointers to each): a pointer for
// each buffer that is not the kernel's own, in order; where some buffer is the kernel's own, a
// pointer to LaunchGeometry::workspace_bytes of global memory or null; the parameter table by
// value.

#include <span>
#include <string>

#include "wick/codegen/cuda/kernel_form.h"

namespace wick::codegen::cuda {

/// One kernel of a program, compiled to the function `symbol`.
struct ProgramKernel {
  const Kernel* kernel = nullptr;
  KernelForm form;
  std::string symbol;
};

/// A name that tells kernels and forms apart and is the same in every process.
std::string symbol_of(const Kernel& kernel, const KernelForm& form);

/// The function alone.
std::string kernel_text(const ProgramKernel& kernel);

/// What all kernels share, then the functions.
std::string program_text(std::span<const ProgramKernel> kernels);

/// Number of arguments but the parameter table, that is pointers.
int num_pointer_arguments(const Kernel& kernel);

}  // namespace wick::codegen::cuda
