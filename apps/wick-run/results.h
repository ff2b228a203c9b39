#pragma once

// The results of a run, for people and for files.

#include <span>
#include <string>

#include "wick/ir/graph.h"
#include "wick/ir/literal.h"

namespace wick::run {

/// `result 2 (%loss)`, `result 2` where it has no name.
std::string result_title(const ir::Graph& graph, size_t k);

/// One line a result: its title, type, first elements, smallest, largest and mean.
void print_results(const ir::Graph& graph, std::span<const Literal> results);

/// Writes each result as DIRECTORY/NUMBER-NAME.npy, making the folder.
void write_results(const ir::Graph& graph,
                   std::span<const Literal> results,
                   const std::string& directory);

}  // namespace wick::run
