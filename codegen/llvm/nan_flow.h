#pragma once

// Where NaN gets to in a kernel.

#include "wick/codegen/llvm/equal_values.h"

namespace wick::codegen::llvm_jit {

/// Whether one NaN among the numbers of which `greatest`, a reduce_max of floats, takes the
/// greatest makes NaN of every result that depends on it by other ways as well, as softmax's does
/// by the sum: then the greatest need not tell.
bool tells_nan_otherwise(const Kernel& kernel, const EqualValues& values, int greatest);

}  // namespace wick::codegen::llvm_jit
