#pragma once

// The process that works on a row.

#include "harness/row.h"

namespace wick::bench {

/// Makes the row's inputs and serves its turns (harness/turns.h). Its facts: what the step is
/// compiled to and the operations of its products.
int serve_row(const Row& row);

}  // namespace wick::bench
