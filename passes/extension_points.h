#pragma once

// Places in pipelines where passes from outside join.

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace wick::passes {

/// Adds passes, written as a pipeline, at a point of every pipeline that names it, after those that
/// are there. Points of the default pipeline, in order:
///
///   pipeline-start   the graph as recorded
///   before-fusion    simplified; all ops are still by themselves
///   after-fusion     ops that became one kernel are in the body of a fusion
///   before-planning  the last chance to change the graph
///   pipeline-end     every value has its place in memory; changing the graph is up to the pass
///
/// Throws std::invalid_argument for an unknown point or passes that do not parse.
void extend_pipeline(std::string_view point, std::string passes);

std::span<const std::string_view> extension_points();
bool is_extension_point(std::string_view name);

/// What was added there, in order.
std::vector<std::string> extensions_at(std::string_view point);

}  // namespace wick::passes
