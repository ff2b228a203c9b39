#pragma once

#include <optional>
#include <string>

#include "case_file.h"
#include "table.h"

namespace wick::conformance {

/// Computes the outputs, then the gradients, on the backend in force, and compares forward with
/// reverse mode; inputs that are views are tried as contiguous tensors and as the views. Nothing
/// where all is as it should be, else what is not.
std::optional<std::string> run_case(const Case& c, const Entry& entry);

}  // namespace wick::conformance
