#pragma once

#include <optional>
#include <string>

#include "case_file.h"

#include "wick/tensor/tensor.h"

namespace wick::conformance {

/// Nothing where the tensors agree, else what differs first: types must be equal, floats within
/// |x - y| <= absolute + relative * |y| (NaN equal to NaN, infinities to themselves), integers and
/// bools exactly.
std::optional<std::string> difference(const Tensor& got,
                                      const Tensor& expected,
                                      const Tolerance& tolerance);

}  // namespace wick::conformance
