#pragma once

// The ways of computing an op that oneDNN has, and for convolutions Wick beside it, of which
// runtime/timed_choice.h takes the fastest.

#include <vector>

#include "wick/runtime/timed_choice.h"

namespace wick::runtime::onednn {

/// The version of oneDNN and the instructions it uses.
std::string description();

/// Of an f32 matmul, or a convolution or a gradient of one, without empty operands. What is
/// expected to be fastest comes first. None in builds without oneDNN.
std::vector<Candidate> matmul_ways(const LibraryOp& op);
std::vector<Candidate> convolution_ways(const LibraryOp& op);

}  // namespace wick::runtime::onednn
