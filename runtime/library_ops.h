#pragma once

// How libwick.so reaches the ops that live in shared libraries of their own, by op name. Internal.

#include "wick/ir/custom_op.h"

namespace wick::runtime {

/// What such a library exports: the function of an op, null for an op that is none of its own.
using FindLibraryCall = ir::CustomCall(const char* op);

}  // namespace wick::runtime
