#pragma once

// Bias and activation of matrix products as part of the library's call, for backends whose library
// computes them before it stores the product.

#include "wick/ir/graph.h"
#include "wick/passes/pass_registry.h"

namespace wick::passes {

/// Whether a matmul computes more than the product, row by row of it.
bool has_epilogue(const ir::Node& matmul);

PassInfo epilogue_pass_info();

}  // namespace wick::passes
