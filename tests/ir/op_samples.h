#pragma once

// One graph for each op of the table, so that tests over all ops miss none.

#include <string>
#include <string_view>

#include "wick/ir/op.h"

namespace wick::ir {

/// A graph whose op under test is there at least once, as the printer writes it; empty for an op
/// that nobody wrote a sample for.
std::string sample_of(OpKind op);

}  // namespace wick::ir
