#include "wick/runtime/replay.h"

#include <algorithm>

#include <fmt/format.h>

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
    command += " " + assignment(entry);
  for (const std::string& word : environment.command_line)
    command += " " + shell_word(word);
  return command;
}

}  // namespace

std::vector<ReplayCommand> replay_commands(const CompileRecord& record, std::string_view recorded) {
  const std::string file = shell_word(recorded);
  return {{"Run the passes again and print the result",
           fmt::format("wick-opt --print-locations --pass-pipeline={} {}",
                       shell_word(record.pipeline.pipeline),
                       file)},
          {"Compile and run the recorded graph on made-up inputs", "wick-run " + file},
          {"Run the program again", program_command(record.environment)}};
}

}  // namespace wick::runtime
