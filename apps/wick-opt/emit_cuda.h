#pragma once

// Kernels as CUDA C++. Both throw std::invalid_argument where Wick was built without CUDA.

#include <string>

#include "wick/codegen/lower.h"

namespace wick::tools {

/// What tells kernels apart, and the forms of one that launches take.
std::string cuda_symbol(const codegen::KernelLaunch& launch);
/// The kernel in the form that the launch takes.
std::string cuda_text(const codegen::KernelLaunch& launch);

}  // namespace wick::tools
