#pragma once

// Which values of a parameter make sense to the program that reads it.

#include <cstdint>
#include <optional>

#include "wick/ir/graph.h"

namespace wick::run {

struct ValueDomain {
  /// Integers are positions along an axis of this extent: they index a gather or scatter, or
  /// are compared with an iota.
  std::optional<int64_t> below;
  /// Floats whose square root or logarithm is taken, such as a variance, or that are a scalar, such
  /// as a learning rate.
  bool positive = false;
};

/// Follows the parameter through ops that keep its values, or keep their sign.
ValueDomain domain_of(const ir::Node& parameter);

}  // namespace wick::run
