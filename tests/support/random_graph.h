#pragma once

// Random graphs over every op of the table, for differential tests.
//
// The generator follows bounds on magnitude and on rounding error, so that two correct
// implementations agree on every result within `result_tolerance`, however they order sums or fuse
// multiplications with additions. Ops that jump (floor, comparisons, argmax, casts to integers...)
// are applied to values only that every implementation computes to the same bits.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "wick/ir/graph.h"

namespace wick::testing_support {

struct RandomGraphOptions {
  int num_parameters = 3;  // at the start; ops may add some that fit them
  int num_ops = 20;
  int max_results = 3;
  int64_t max_elements = 2048;  // of a value
  bool long_axes = false;       // of up to a thousand elements
  bool donate = true;           // mark some parameters `donate`
  bool contractions = true;     // matmul, convolutions, pooling
};

/// A sound graph, the same for the same seed and options. Every node leads to a result; now and
/// then a parameter does not.
std::unique_ptr<ir::Graph> random_graph(uint64_t seed, const RandomGraphOptions& options = {});

/// Values for the graph's parameters; floats lie in [-2, 2], many on a grid of quarters so that
/// ties and zeros of both signs occur. `special_values` mixes in NaN and infinities: results then
/// agree where they are finite in both or the same special value, which first_difference checks,
/// but for the sign and payload of NaN.
std::vector<Literal> random_inputs(const ir::Graph& graph,
                                   uint64_t seed,
                                   bool special_values = false);

/// Relative and absolute; 0 for integers and bools.
double result_tolerance(DType dtype);

/// The first place where two results differ by more than rounding explains, in words. Integers and
/// bools must be equal; NaN equals NaN.
std::optional<std::string> first_difference(const Literal& expected, const Literal& actual);

}  // namespace wick::testing_support
