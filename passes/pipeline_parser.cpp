#include "wick/passes/pipeline_parser.h"

#include <algorithm>
#include <numeric>
#include <stdexcept>

#include <fmt/format.h>

#include "wick/passes/pass_manager.h"

namespace wick::passes {

namespace {

/// Number of single-character edits between two names (Levenshtein, 1966).
size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t above = row[j];
      const size_t changed = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({changed, above + 1, row[j - 1] + 1});
      diagonal = above;
    }
  }
  return row[b.size()];
}

bool is_name_char(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
         c == '_' || c == '.';
}

class PipelineParser {
 public:
  PipelineParser(std::string_view text, const PassRegistry& registry)
      : text_(text),
        registry_(registry) {}

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
    const std::string_view name = parse_name("a pass name");
    if (name == "default") {
      for (PipelineStage& stage : PipelineParser(default_pipeline(), registry_).parse()) {
        stage.column = column;
        stages.push_back(std::move(stage));
      }
      return;
    }
    PipelineStage stage{.info = registry_.find(name), .options = {}, .column = column};
    if (stage.info == nullptr) {
      fail(fmt::format("unknown pass '{}'{}", name, did_you_mean(name, pass_names())), column);
    }
    if (accept('{')) {
      parse_options(stage);
    }
    stages.push_back(std::move(stage));
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
  size_t position_ = 0;
};

}  // namespace

std::vector<PipelineStage> parse_pipeline(std::string_view text, const PassRegistry& registry) {
  return PipelineParser(text, registry).parse();
}

std::string pipeline_error(std::string_view message, std::string_view text, size_t column) {
  return fmt::format("{}\n  {}\n  {:>{}}", message, text, '^', column + 1);
}

std::string did_you_mean(std::string_view name, const std::vector<std::string_view>& candidates) {
  std::string_view nearest;
  size_t best = name.size() / 3 + 2;  // farther is another word, not a slip
  for (const std::string_view candidate : candidates) {
    const size_t distance = edit_distance(name, candidate);
    if (distance < best) {
      best = distance;
      nearest = candidate;
    }
  }
  return nearest.empty() ? "" : fmt::format(", did you mean '{}'?", nearest);
}

}  // namespace wick::passes
