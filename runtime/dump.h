#pragma once

// What the switches show of every compile: WICK_DUMP_TO in files, WICK_LOG=fusion and
// WICK_LOG=output_code on standard error. docs/dumps.md describes the files.

#include <memory>
#include <optional>

#include "wick/runtime/compile_record.h"

namespace wick::runtime {

/// An empty record, numbered, when the switches in force show compiles; otherwise nothing.
std::optional<CompileRecord> begin_compile_record();

/// Shows the record of a finished or failed compile. What cannot be written is said once on
/// standard error, and the program goes on. Safe from any thread.
void show(const CompileRecord& record);

}  // namespace wick::runtime
