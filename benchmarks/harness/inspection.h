#pragma once

// What a step is compiled to, found by compiling it once more.

#include <cstddef>
#include <cstdint>
#include <functional>

#include "harness/products.h"

namespace wick::bench {

struct Inspection {
  Products products;
  // Over the programs of the step.
  int num_programs = 0;
  int num_ops = 0;  // recorded
  int num_kernels = 0;
  int num_library_calls = 0;
  int num_interpreted = 0;
  size_t arena_bytes = 0;         // planned for values
  size_t peak_live_bytes = 0;     // of these, the most that are needed at one time
  size_t intermediate_bytes = 0;  // of all values that are computed, before fusion
  size_t edge_bytes = 0;          // of what the programs are given and of what they give
};

/// Runs the step as if it were new.
Inspection inspect(const std::function<void()>& step);

}  // namespace wick::bench
