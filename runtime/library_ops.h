#pragma once

// How libwick.so reaches what lives in shared libraries of its own. Internal.

#include "wick/ir/custom_op.h"

namespace wick::runtime {

/// What such a library exports: the function of an op, null for an op that is none of its own.
using FindLibraryCall = ir::CustomCall(const char* op);

/// The address of an entry of LAPACK's and BLAS's library, which is opened if it is not open yet.
void* lapack_entry(const char* entry);

}  // namespace wick::runtime
