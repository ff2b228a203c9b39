// wick-reduce: shrinks a graph while a property holds.

#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>

#include "measure.h"
#include "progress.h"
#include "property.h"
#include "reduce_flags.h"
#include "reducer.h"
#include "run_main.h"
#include "support/graph_file.h"
#include "support/tool.h"
#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "wick/passes/options.h"

namespace {

using namespace wick;  // NOLINT(google-build-using-namespace): this file is a program of its own.

/// A folder that goes with its last user.
class ScratchFolder {
 public:
  ScratchFolder() {
    std::string path = std::filesystem::temp_directory_path() / "wick-reduce-XXXXXX";
    if (mkdtemp(path.data()) == nullptr)
      throw std::runtime_error(fmt::format("cannot make a folder {}", path));
    path_ = path;
  }

  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  ~ScratchFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

int reduce_file(const reduce::ReduceFlags& flags) {
  std::unique_ptr<ir::Graph> graph = tools::read_graph(flags.file, flags.graph);
  const ScratchFolder scratch;
  // Of a candidate that is gone a reproducer is of no use.
  options().reproducer_dir = scratch.path();
  setenv("WICK_REPRODUCER_DIR", scratch.path().c_str(), 1);
  const reduce::Property property(
      flags.property, scratch.path(), {run::open_compiler, run::run_main});
  reduce::Progress progress;

  const reduce::ChildResult first = property.run(*graph);
  if (!property.holds(first)) {
    fmt::print(stderr,
               "wick-reduce: error: {} is not interesting to begin with: {}\n{}\n",
               flags.file,
               property.command_text(flags.file),
               describe(first));
    return 1;
  }
  const int64_t ops_before = reduce::num_ops(*graph);
  int64_t ops_left = ops_before;
  reduce::Reducer reducer(
      std::move(graph),
      [&](std::span<const std::unique_ptr<ir::Graph>> candidates) {
        return property.first_interesting(candidates);
      },
      {.batch = static_cast<size_t>(flags.property.jobs),
       .on_smaller =
           [&](const ir::Graph& smaller) {
             ops_left = reduce::num_ops(smaller);
             tools::write_graph(flags.output, smaller);  // what is found is not lost
           },
       .on_progress = [&](std::string_view stage,
                          int64_t tried) { progress.show(stage, tried, ops_left); }});
  const ir::Graph& smallest = reducer.run();
  progress.clear();
  tools::write_graph(flags.output, smallest);
  fmt::print("wick-reduce: {} ops before, {} after, {} candidates tried, {:.1f} s: {}\n",
             ops_before,
             reduce::num_ops(smallest),
             reducer.num_tried(),
             progress.seconds(),
             flags.output);
  return 0;
}

/// Candidates may need programs that are installed beside this one.
void search_own_folder() {
  std::error_code error;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", error);
  if (error) return;
  const char* path = std::getenv("PATH");
  const std::string folders =
      fmt::format("{}:{}", program.parent_path().string(), path == nullptr ? "" : path);
  setenv("PATH", folders.c_str(), 1);
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Shrinks a program of Wick graph IR while a property holds.", "wick-reduce");
  reduce::ReduceFlags flags;
  declare_flags(app, flags);
  return tools::run_tool(app, argc, argv, [&] {
    complete(flags);
    search_own_folder();
    return reduce_file(flags);
  });
}
