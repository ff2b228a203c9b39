#pragma once

// What the switches show of every compile: WICK_DUMP_TO in files, WICK_LOG=fusion and
// WICK_LOG=output_code on standard error. docs/dumps.md describes the files.

#include <functional>
#include <memory>
#include <string>

#include "wick/runtime/compile_record.h"

namespace wick::runtime {

/// Compiles for a backend and shows the compile as the switches in force ask, a failed one too.
/// `tell` adds what the caller knows to the record; it is called only where there is one. What
/// cannot be written is said once on standard error, and the program goes on. Safe from any thread.
std::unique_ptr<Executable> compile_and_show(std::unique_ptr<ir::Graph> graph,
                                             const std::string& backend,
                                             const std::function<void(CompileRecord&)>& tell);

}  // namespace wick::runtime
