#pragma once

// Bias and activation of matrix products as part of the library's call, for backends whose library
// computes them before it stores the product.

#include "wick/passes/pass_registry.h"

namespace wick::passes {

PassInfo epilogue_pass_info();

}  // namespace wick::passes
