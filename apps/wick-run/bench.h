#pragma once

// Where the time of a program goes.

#include <span>

#include "program.h"

#include "wick/ir/literal.h"

namespace wick::run {

struct BenchOptions {
  double seconds = 1;  // to run for, after a first run that does not count
  int repeat = 0;      // exactly that many runs instead; 0: as many as fit
};

/// Runs the program again and again; prints a table of its steps, the slowest first, and the time
/// of the whole.
void bench(Program& program, std::span<const Literal> parameters, const BenchOptions& options);

}  // namespace wick::run
