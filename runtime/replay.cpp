#include "wick/runtime/replay.h"

#include <algorithm>

#include <fmt/format.h>

#include "wick/passes/default_backend.h"
#include "wick/passes/options.h"

namespace wick::runtime {

namespace {

bool is_plain(char c) {
  constexpr std::string_view kPlain = "_-./=:,+@%";
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         kPlain.find(c) != std::string_view::npos;
}

/// A word that a POSIX shell reads as it is.
std::string shell_word(std::string_view text) {
  if (!text.empty() && std::ranges::all_of(text, is_plain)) return std::string(text);
  std::string word = "'";
  for (const char c : text)
    c == '\'' ? word += "'\\''" : word += c;
  return word + "'";
}

/// NAME='value' of an environment entry.
std::string assignment(std::string_view entry) {
  const size_t equals = entry.find('=');
  return fmt::format("{}={}", entry.substr(0, equals), shell_word(entry.substr(equals + 1)));
}

std::string program_command(const CompileEnvironment& environment) {
  std::string command = fmt::format("cd {} &&", shell_word(environment.directory));
  for (const std::string& entry : environment.variables)
    command += fmt::format(" {}", assignment(entry));
  for (const std::string& word : environment.command_line)
    command += fmt::format(" {}", shell_word(word));
  return command;
}

/// What both tools need to know of the passes.
std::string pipeline_flag(const CompileRecord& record) {
  return " --pass-pipeline=" + shell_word(record.pipeline.pipeline);
}

std::string plugin_flags() {
  std::string flags;
  for (const std::string& path : options().plugins)
    flags += " --plugins=" + shell_word(path);
  return flags;
}

std::string opt_command(const CompileRecord& record, const std::string& file) {
  return fmt::format(
      "wick-opt --print-locations{}{} {}", plugin_flags(), pipeline_flag(record), file);
}

std::string run_command(const CompileRecord& record, const std::string& file) {
  std::string command = "wick-run" + plugin_flags();
  const std::string& backend = record.environment.backend;
  if (!backend.empty() && backend != default_backend())
    command += " --backend=" + shell_word(backend);
  const bool is_default = options().pass_pipeline.empty() && options().disable_passes.empty();
  if (!is_default && !record.pipeline.pipeline.empty()) command += pipeline_flag(record);
  return command + " " + file;
}

}  // namespace

std::vector<ReplayCommand> replay_commands(const CompileRecord& record, std::string_view recorded) {
  const std::string file = shell_word(recorded);
  std::vector<ReplayCommand> commands;
  if (!record.pipeline.pipeline.empty())
    commands.push_back({"Run the passes again and print the result", opt_command(record, file)});
  commands.push_back(
      {"Compile and run the recorded graph on made-up inputs", run_command(record, file)});
  commands.push_back({"Run the program again", program_command(record.environment)});
  return commands;
}

}  // namespace wick::runtime
