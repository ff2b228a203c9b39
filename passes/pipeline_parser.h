#pragma once

// Textual pipelines: `canonicalize,cse,@before-fusion,fuse{max-ops=64,verbose},plan-memory`.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "wick/passes/pass_registry.h"

namespace wick::passes {

/// One pass of a pipeline with its options, a flag having the value "".
struct PipelineStage {
  const PassInfo* info = nullptr;
  PassOptions options;
  size_t column = 0;  // of the name in the text
};

/// The stages of a pipeline; names and options are checked against the registry. Blanks between
/// tokens are free, an empty text has no stages, `default` stands for default_pipeline(), and
/// `@point` for the passes that extend the pipeline there (wick/passes/extension_points.h). The
/// registry must outlive the stages. Throws std::invalid_argument whose text ends in the pipeline
/// and a caret.
std::vector<PipelineStage> parse_pipeline(std::string_view text, const PassRegistry& registry);

/// The text that parses to these stages, extension points replaced by what they stand for.
std::string to_string(const std::vector<PipelineStage>& stages);

/// `message`, then the pipeline and a caret under `column`.
std::string pipeline_error(std::string_view message, std::string_view text, size_t column);

/// The name among `candidates` nearest to `name`, ", did you mean '...'?"; "" when none is near.
std::string did_you_mean(std::string_view name, const std::vector<std::string_view>& candidates);

}  // namespace wick::passes
