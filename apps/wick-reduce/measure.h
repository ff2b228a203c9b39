#pragma once

// What makes one graph smaller than another.

#include <compare>
#include <cstdint>
#include <string>

#include "wick/ir/graph.h"

namespace wick::reduce {

/// Compared from the first member on. Bodies of fusions count with the graph.
struct Measure {
  int64_t fusions = 0;
  int64_t ops = 0;              // without fusions, parameters, constants
  int64_t dense_constants = 0;  // whose elements differ
  int64_t leaves = 0;           // parameters and constants
  int64_t results = 0;
  int64_t attributes = 0;
  int64_t elements = 0;  // of all values

  friend auto operator<=>(const Measure&, const Measure&) = default;
};

Measure measure(const ir::Graph& graph);

/// What people count: fusions and the ops in and outside them.
int64_t num_ops(const ir::Graph& graph);

/// Every element is the same.
bool is_splat(const Literal& literal);

}  // namespace wick::reduce
