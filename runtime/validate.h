#pragma once

// WICK_VALIDATE: every run is repeated by the reference interpreter and compared.

#include <memory>
#include <optional>
#include <string>

#include "wick/runtime/backend.h"
#include "wick/runtime/rounding_noise.h"

namespace wick::runtime {

/// Runs `executable` and checks its results against `reference`, the graph as recorded. A result
/// that differs throws Error naming the op that makes it and its line.
std::unique_ptr<Executable> make_validating(std::unique_ptr<Executable> executable,
                                            std::unique_ptr<ir::Graph> reference);

/// What differs between a result and what it should be; empty when they agree within rounding.
/// `exact` integers must be equal; otherwise they come from rounded floats by way of comparisons
/// or casts, and one in a hundred may differ.
///
/// Floats may differ by the tolerance of their dtype (2e-3 for f32, 1e-9 for f64, 2e-2 for f16,
/// 1e-1 for bf16) times the larger of the element and the result's mean magnitude: a program of
/// many ops, each within a few ulp, may cancel. Of what cancels as a whole they may differ by a
/// thousand times its noise (runtime/rounding_noise.h).
std::optional<std::string> difference(const Literal& expected,
                                      const Literal& got,
                                      bool exact_integers,
                                      double noise = 0);

/// The noise of result k, of floats, where the two differ by more than is allowed without; else 0.
double noise_to_allow(const Literal& expected, const Literal& got, RoundingNoise& noise, size_t k);

/// The tolerance rule of `difference` for the elements of one float result.
struct Tolerance {
  double relative = 0;        // of the dtype; 0 for integers
  double mean_magnitude = 0;  // of the finite elements
  double noise = 0;           // of rounding

  /// The absolute error an element may have; none where it should be infinite.
  [[nodiscard]] double allowed(double expected) const;
};

Tolerance tolerance_for(const Literal& expected, double noise = 0);

/// Whether no float takes part in making the integer or bool `value`.
bool is_exact(ir::Value value);

}  // namespace wick::runtime
