#pragma once

// The way from a recorded graph to an executable that "llvm" takes, for backends that differ from
// it in how kernels become machine code.

#include <memory>

#include "wick/runtime/backend.h"
#include "wick/runtime/plan_builder.h"

namespace wick::runtime {

/// Runs the pipeline of the options in force on the graph, builds a plan and makes what runs it.
/// Checks every step of the way in debug builds and under WICK_VALIDATE, which also compares each
/// run with the reference interpreter. `record` as in Backend::compile.
std::unique_ptr<Executable> compile_by_plan(std::unique_ptr<ir::Graph> graph,
                                            const PlanOptions& options,
                                            CompileRecord* record = nullptr);

}  // namespace wick::runtime
