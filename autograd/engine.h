#pragma once

// The backward pass: cotangents flow from outputs to inputs against the order of recording.

#include <vector>

#include "wick/autograd/history.h"

namespace wick::autograd {

struct Seed {
  int entry;  // in the history
  Tensor cotangent;
};

/// The cotangents of the wanted entries, in their order; undefined where none arrives. Records the
/// gradient ops with the location of the op they belong to, and only those that lead to a wanted
/// entry.
std::vector<Tensor> propagate(const History& history,
                              std::span<const Seed> seeds,
                              std::span<const int> wanted);

}  // namespace wick::autograd
