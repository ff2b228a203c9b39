#pragma once

// HTML pages of compile records: one file each that loads nothing.

#include <span>
#include <string>

#include "wick/runtime/compile_record.h"
#include "wick/runtime/replay.h"

namespace wick::runtime {

/// Everything about one compile, to look at in a browser.
std::string report_html(const CompileRecord& record, std::span<const ReplayCommand> replay);

/// The short form of a record: what it was, and where its time went.
std::string timing_json(const CompileRecord& record);

/// A compile that lies in a dump folder.
struct CompileSummary {
  std::string folder;  // relative to the index
  std::string timing;  // content of its timing.json
};

/// The list of compiles; those whose timing does not parse are left out.
std::string index_html(std::span<const CompileSummary> compiles);

}  // namespace wick::runtime
