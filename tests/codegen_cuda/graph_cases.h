#pragma once

// Graphs whose kernels take every form, for tests that run the text of kernels and that compile it.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "wick/ir/graph.h"

namespace wick::codegen::cuda::test {

/// A graph with what goes in and has to come out.
struct GraphCase {
  std::string name;
  std::unique_ptr<ir::Graph> fused;
  std::vector<Literal> inputs;
  std::vector<Literal> expected;
};

/// Parsed and fused, with values drawn for its parameters.
GraphCase from_text(const std::string& text);

/// A random graph; every other one goes through more passes than fusion.
GraphCase from_seed(uint64_t seed, bool special_values);

std::string softmax(int64_t rows, int64_t columns, const std::string& dtype);
std::string layer_norm(int64_t rows, int64_t columns);
/// Columns with several loops, whose own values lie side by side; sums in blocks; blocks of
/// channels; a transpose.
std::vector<std::string> layout_texts();

}  // namespace wick::codegen::cuda::test
