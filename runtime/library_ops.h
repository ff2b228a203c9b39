#pragma once

// How libwick.so reaches what lives in shared libraries of its own. Internal.

#include "wick/codegen/lazy_library.h"
#include "wick/ir/custom_op.h"

namespace wick::runtime {

/// What such a library exports: the function of an op, null for an op that is none of its own.
using FindLibraryCall = ir::CustomCall(const char* op);

/// LAPACK and BLAS.
constexpr codegen::LazyLibrary kLapackLibrary{"libwick-lapack.so", "runtime/lapack/", "LAPACK"};

}  // namespace wick::runtime
