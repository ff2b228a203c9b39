#include "wick/runtime/compile_record.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include "wick/ir/printer.h"
#include "wick/ir/structural_hash.h"
#include "wick/runtime/host_cpu.h"
#include "wick/runtime/parallel.h"

namespace wick::runtime {

namespace {

std::vector<std::string> wick_variables() {
  std::vector<std::string> variables;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    if (text.starts_with("WICK_")) variables.emplace_back(text);
  }
  std::ranges::sort(variables);
  return variables;
}

std::vector<std::string> command_line() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  std::vector<std::string> words;
  for (std::string word; std::getline(file, word, '\0');)
    words.push_back(word);
  return words;
}

CompileEnvironment environment_of(std::string_view backend) {
  std::error_code failure;  // a deleted working directory has no name
  return {.version = WICK_VERSION,
          .backend = std::string(backend),
          .cpu = cpu_name(),
          .target = "",
          .threads = max_threads(),
          .variables = wick_variables(),
          .command_line = command_line(),
          .directory = std::filesystem::current_path(failure).string(),
          .process = getpid(),
          .time = fmt::format("{:%Y-%m-%d %H:%M:%S} UTC",
                              fmt::gmtime(std::chrono::system_clock::now()))};
}

}  // namespace

const std::string& optimized_text(const CompileRecord& record) {
  for (auto stage = record.pipeline.stages.rbegin(); stage != record.pipeline.stages.rend();
       ++stage)
    if (stage->changed) return stage->ir;
  return record.pipeline.recorded;
}

void describe(const ir::Graph& recorded, std::string_view backend, CompileRecord& record) {
  record.graph_name = recorded.name();
  record.hash = to_string(ir::structural_hash(recorded));
  record.pipeline.recorded = ir::to_string(recorded, {.locations = true});
  record.environment = environment_of(backend);
}

}  // namespace wick::runtime
