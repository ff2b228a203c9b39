#include "wick/passes/pipeline_parser.h"

#include <algorithm>
#include <stdexcept>

#include <fmt/format.h>

#include "wick/ir/nearest_name.h"
#include "wick/passes/extension_points.h"
#include "wick/passes/pass_manager.h"

namespace wick::passes {

namespace {

bool is_name_char(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
         c == '_' || c == '.';
}

class PipelineParser {
 public:
  PipelineParser(std::string_view text, const PassRegistry& registry, int depth = 0)
      : text_(text),
        registry_(registry),
        depth_(depth) {}

  std::vector<PipelineStage> parse() {
    std::vector<PipelineStage> stages;
    skip_blanks();
    if (at_end()) return stages;
    while (true) {
      parse_stage(stages);
      if (at_end()) return stages;
      expect(',', "',' or end of pipeline");
    }
  }

 private:
  void parse_stage(std::vector<PipelineStage>& stages) {
    const size_t column = position_;
    if (accept('@')) return parse_extension_point(stages, column);
    const std::string_view name = parse_name("a pass name");
    if (name == "default") return insert(default_pipeline(), stages, column);
    PipelineStage stage{.info = registry_.find(name), .options = {}, .column = column};
    if (stage.info == nullptr) {
      fail(fmt::format("unknown pass '{}'{}", name, did_you_mean(name, pass_names())), column);
    }
    if (accept('{')) {
      parse_options(stage);
    }
    stages.push_back(std::move(stage));
  }

  void parse_extension_point(std::vector<PipelineStage>& stages, size_t column) {
    const std::string_view name = parse_name("an extension point");
    if (!is_extension_point(name)) {
      const auto known = extension_points();
      fail(fmt::format("unknown extension point '{}'{}",
                       name,
                       did_you_mean(name, {known.begin(), known.end()})),
           column);
    }
    for (const std::string& passes : extensions_at(name))
      insert(passes, stages, column);
  }

  /// Stages that are written elsewhere; errors in what follows point to where they were asked for.
  void insert(std::string_view text, std::vector<PipelineStage>& stages, size_t column) {
    if (depth_ == kMaxDepth) fail("the pipeline contains itself", column);
    for (PipelineStage& stage : PipelineParser(text, registry_, depth_ + 1).parse()) {
      stage.column = column;
      stages.push_back(std::move(stage));
    }
  }

  void parse_options(PipelineStage& stage) {
    if (accept('}')) return;
    while (true) {
      parse_option(stage);
      if (accept('}')) return;
      expect(',', "',' or '}'");
    }
  }

  void parse_option(PipelineStage& stage) {
    const size_t column = position_;
    const std::string_view name = parse_name("an option name");
    std::vector<std::string_view> known;
    for (const auto& [option, fallback] : stage.info->options) {
      known.push_back(option);
    }
    if (std::ranges::find(known, name) == known.end()) {
      fail(fmt::format(
               "pass '{}' has no option '{}'{}", stage.info->name, name, did_you_mean(name, known)),
           column);
    }
    const std::string_view value = accept('=') ? parse_name("a value") : std::string_view();
    if (!stage.options.emplace(name, value).second) {
      fail(fmt::format("option '{}' is given twice", name), column);
    }
  }

  std::string_view parse_name(std::string_view what) {
    const size_t begin = position_;
    while (!at_end() && is_name_char(text_[position_])) {
      ++position_;
    }
    if (position_ == begin) {
      fail(fmt::format("expected {}", what), begin);
    }
    const std::string_view name = text_.substr(begin, position_ - begin);
    skip_blanks();
    return name;
  }

  bool accept(char c) {
    if (at_end() || text_[position_] != c) return false;
    ++position_;
    skip_blanks();
    return true;
  }

  void expect(char c, std::string_view what) {
    if (!accept(c)) {
      fail(fmt::format("expected {}", what), position_);
    }
  }

  [[noreturn]] void fail(std::string_view message, size_t column) const {
    throw std::invalid_argument(pipeline_error(message, text_, column));
  }

  [[nodiscard]] std::vector<std::string_view> pass_names() const {
    std::vector<std::string_view> names;
    for (const PassInfo* info : registry_.all()) {
      names.push_back(info->name);
    }
    return names;
  }

  void skip_blanks() {
    while (!at_end() && (text_[position_] == ' ' || text_[position_] == '\t')) {
      ++position_;
    }
  }

  [[nodiscard]] bool at_end() const { return position_ == text_.size(); }

  std::string_view text_;  // outlives the parser, which is a temporary of parse_pipeline
  const PassRegistry& registry_;
  static constexpr int kMaxDepth = 16;
  int depth_;  // of pipelines inside pipelines
  size_t position_ = 0;
};

}  // namespace

std::vector<PipelineStage> parse_pipeline(std::string_view text, const PassRegistry& registry) {
  return PipelineParser(text, registry).parse();
}

std::string to_string(const std::vector<PipelineStage>& stages) {
  std::string text;
  for (const PipelineStage& stage : stages) {
    if (!text.empty()) text += ',';
    text += stage.info->name;
    if (stage.options.empty()) continue;
    std::string options;
    for (const auto& [name, value] : stage.options) {
      if (!options.empty()) options += ',';
      options += value.empty() ? name : fmt::format("{}={}", name, value);
    }
    text += fmt::format("{{{}}}", options);
  }
  return text;
}

std::string pipeline_error(std::string_view message, std::string_view text, size_t column) {
  return fmt::format("{}\n  {}\n  {:>{}}", message, text, '^', column + 1);
}

std::string did_you_mean(std::string_view name, const std::vector<std::string_view>& candidates) {
  const auto nearest = ir::nearest_name(name, candidates);
  return nearest ? fmt::format(", did you mean '{}'?", *nearest) : "";
}

}  // namespace wick::passes
