#pragma once

// Runs the pipeline that the switches ask for, with all they want to see of it.

#include <string>
#include <vector>

#include "wick/passes/options.h"
#include "wick/passes/pass.h"

namespace wick::passes {

/// What a pipeline did to a graph; every text parses back.
struct PipelineRecord {
  struct Stage {
    std::string pass;
    bool changed = false;
    double milliseconds = 0;
    std::string ir;  // afterwards, with locations; empty when nothing changed
  };

  std::string pipeline;  // extension points replaced by the passes there
  std::string recorded;  // the graph before the first pass, with locations
  std::vector<Stage> stages;
};

/// Runs `options().pass_pipeline`, or the default pipeline, over the graph. Honours the switches
/// that print, time, verify, bisect and leave out passes; what they print goes to standard error.
/// When a pass throws or leaves a broken graph, a reproducer is written, and the exception says
/// where it is and how to replay it; when a pass crashes, that goes to standard error.
void run_pipeline(ir::Graph& graph, PassContext& context, PipelineRecord* record = nullptr);

/// A context that collects remarks when the switches, or `wanted`, ask for them.
PassContext make_pass_context(bool wanted = false);

}  // namespace wick::passes
