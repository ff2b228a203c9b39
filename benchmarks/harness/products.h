#pragma once

// The matrix products and convolutions of a program.

#include <map>
#include <string>

#include "wick/ir/graph.h"
#include "wick/runtime/library_call.h"

namespace wick::bench {

/// The contractions of a program, equal ones counted.
struct Products {
  struct Entry {
    runtime::LibraryOp op;
    int count = 0;
  };

  /// Adds those of a graph.
  void add(const ir::Graph& graph);

  std::map<std::string, Entry> entries;  // by what decides the time
  double flops = 0;
};

}  // namespace wick::bench
