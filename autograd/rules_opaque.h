#pragma once

// Gradient rules that take more than a line, of the ops along an axis.

#include "wick/autograd/rules.h"

namespace wick::autograd {

Term grad_scan(const Step& s);

Term grad_scatter_x(const Step& s);
Term grad_scatter_updates(const Step& s);

/// i64 of `shape`: each element's row-major position.
Term row_major_positions(const Shape& shape, std::source_location where);

}  // namespace wick::autograd
