#pragma once

#include <optional>
#include <string>

#include "case_file.h"
#include "table.h"

namespace wick::conformance {

/// Whether forward and reverse mode are each other's transpose at the case's inputs, in f64:
/// <jvp(v), u> = <v, vjp(u)> for fixed v and u. Nothing where they are, or where values are not
/// finite; else both products.
std::optional<std::string> check_adjoint(const Case& c, const Entry& entry);

}  // namespace wick::conformance
