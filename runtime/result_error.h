#pragma once

// How far a result is from what it should be.

#include <cstdint>
#include <optional>

#include "wick/ir/literal.h"

namespace wick::runtime {

/// The element of two values that differs most from what it may be, measured in several ways.
struct ResultError {
  int64_t position = 0;  // row-major
  double expected = 0;   // rounded, as `got` is, where an integer needs more than 53 bits
  double got = 0;
  double absolute = 0;  // infinite where exactly one is NaN
  double relative = 0;  // to the expected element
  double ulps = 0;      // representable values between the two; for integers the difference
  double allowed = 0;   // absolute error that runtime/validate.h tolerates there
  int64_t outside = 0;  // elements with a larger error than allowed
};

/// Compares values of one type; empty when all elements are equal, NaN being equal to NaN. `noise`:
/// as for runtime/validate.h.
std::optional<ResultError> largest_error(const Literal& expected,
                                         const Literal& got,
                                         double noise = 0);

}  // namespace wick::runtime
