#pragma once

// Passes over a graph, which is verified behind each.

#include <string_view>

#include "wick/passes/pass_manager.h"

namespace wick::passes {

inline void run_passes(ir::Graph& graph, std::string_view pipeline) {
  PassManager manager = PassManager::parse(pipeline);
  manager.set_verify_each(true);
  PassContext context;
  manager.run(graph, context);
}

}  // namespace wick::passes
