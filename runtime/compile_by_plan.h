#pragma once

// The way from a recorded graph to an executable that "llvm" takes, for backends that differ from
// it in how kernels become machine code.

#include <functional>
#include <memory>

#include "wick/runtime/backend.h"
#include "wick/runtime/executor.h"
#include "wick/runtime/plan_builder.h"

namespace wick::runtime {

/// What runs a plan.
using MakeExecutable = std::function<std::unique_ptr<Executable>(std::unique_ptr<Plan>)>;

/// Runs the pipeline of the options in force on the graph, builds a plan and makes what runs it.
/// Checks every step of the way in debug builds and under WICK_VALIDATE, which also compares each
/// run with the reference interpreter. `record` as in Backend::compile. `make`: for plans that are
/// not for the host.
std::unique_ptr<Executable> compile_by_plan(std::unique_ptr<ir::Graph> graph,
                                            const PlanOptions& options,
                                            CompileRecord* record = nullptr,
                                            const MakeExecutable& make = make_executable);

}  // namespace wick::runtime
