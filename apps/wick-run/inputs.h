#pragma once

// The values of a graph's parameters, from flags.

#include <string>
#include <vector>

#include "wick/ir/graph.h"
#include "wick/ir/literal.h"

namespace wick::run {

struct InputFlags {
  std::vector<std::string> files;  // .npy, for the parameters in order
  std::vector<std::string> named;  // NAME=FILE.npy, or NAME=NUMBER for rank 0
  std::string rest = "random:0";   // for the others: random:SEED
};

/// How a parameter is called in flags and messages: its name, or its number in order.
std::string parameter_name(const ir::Graph& graph, size_t i);

/// One value a parameter. Throws std::runtime_error naming the parameter and what does not fit.
std::vector<Literal> make_inputs(const ir::Graph& graph, const InputFlags& flags);

}  // namespace wick::run
