#pragma once

// Where the time of a row goes.

#include <string>

#include "harness/row.h"

namespace wick::bench {

/// Runs the row for some seconds and prints its steps, the slowest first. With a file name a Chrome
/// trace of a few steps goes there.
void profile_row(const Row& row, const std::string& trace_file);

}  // namespace wick::bench
