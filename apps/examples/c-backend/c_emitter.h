#pragma once

// Kernel IR as C.

#include <string>
#include <string_view>

#include "wick/codegen/kernel_ir.h"

namespace c_backend {

/// What every C file begins with: types and functions that C lacks.
std::string_view prelude();

/// A function of the type wick::codegen::KernelFunction, under its kernel IR as a comment.
std::string c_function(const wick::codegen::Kernel& kernel, const std::string& symbol);

}  // namespace c_backend
