#pragma once

// The command line of wick-reduce.

#include <string>

#include "property.h"

namespace CLI {
class App;
}

namespace wick::reduce {

struct ReduceFlags {
  std::string file;
  std::string graph;
  std::string output;  // empty: the file's name with .reduced.wick
  double timeout = 10;
  PropertyOptions property;
};

void declare_flags(CLI::App& app, ReduceFlags& flags);

/// Fills in what follows from the flags. Throws std::runtime_error where they contradict.
void complete(ReduceFlags& flags);

}  // namespace wick::reduce
