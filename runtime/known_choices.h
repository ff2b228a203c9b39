#pragma once

// Which of several ways of doing a library call was found to be the fastest: known to the process,
// and on disk beside the compiled kernels.

#include <string>

#include "wick/runtime/library_call.h"

namespace wick::runtime {

/// "matmul transpose_rhs=true f32[2,3] f32[4,3] -> f32[2,4]": what decides of a call.
std::string problem_text(const LibraryOp& op);

/// The name of the way; "" where it is not known.
std::string find_choice(const std::string& problem);
/// The name that was found for several problems of nearly the same sizes, where they agree; ""
/// where the process knows too few. Programs whose shapes change from call to call would otherwise
/// time every shape anew.
std::string find_choice_nearby(const std::string& problem);
void keep_choice(const std::string& problem, const std::string& name);

}  // namespace wick::runtime
