// Every small program in Wick and in libtorch, in turns in one process, slowest first by ratio:
//
//     sweep [REGEX [MILLISECONDS [PIPELINE]]] [--drawn COUNT] [--seed N]
//
// with so many milliseconds of turns for each program, 200 unless told; or as many single ops and
// layers of shapes drawn at random. It looks for cliffs: a
// program that takes many times as long as in another library. With a pipeline of passes, Wick
// under that takes the place of the other library: where it is faster with less done, a pass does
// harm.

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <regex>
#include <string>
#include <vector>

#include "harness/turns.h"
#include "sweep/programs.h"
#include <CLI/CLI.hpp>

#include "wick/passes/options.h"

namespace {

using wick::bench::median;

double milliseconds() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double, std::milli>(now).count();
}

double time_of(const sweep::Step& step) {
  const double begin = milliseconds();
  step();
  return milliseconds() - begin;
}

struct Result {
  std::string name;
  double wick;
  double other;

  [[nodiscard]] double ratio() const { return other / wick; }
};

/// The step under a pipeline of passes.
sweep::Step under(const std::string& pipeline, const sweep::Step& step) {
  wick::Options options = wick::options();
  options.pass_pipeline = pipeline;
  return [options, step] {
    const wick::ScopedOptions scope(options);
    step();
  };
}

Result compare(const std::string& name,
               const sweep::Step& wick,
               const sweep::Step& other,
               double budget) {
  constexpr size_t kFewest = 5;
  constexpr size_t kMost = 300;
  for (int warm_up = 0; warm_up < 3; ++warm_up) {
    wick();
    other();
  }
  std::vector<double> of_wick;
  std::vector<double> of_other;
  const double begin = milliseconds();
  while (of_wick.size() < kFewest || (milliseconds() - begin < budget && of_wick.size() < kMost)) {
    of_wick.push_back(time_of(wick));
    of_other.push_back(time_of(other));
  }
  return {name, median(of_wick), median(of_other)};
}

}  // namespace

int main(int argc, char** argv) {
  std::string regex = ".";
  double budget = 200;
  std::string pipeline;
  size_t drawn = 0;
  uint64_t seed = 1;
  CLI::App app("Small programs in Wick and in libtorch, those where Wick does worst first");
  app.add_option("regex", regex, "Of the names of programs");
  app.add_option("milliseconds", budget, "Of turns for each program");
  app.add_option("pipeline", pipeline, "Of passes, which takes the place of libtorch");
  app.add_option("--drawn", drawn, "How many programs of shapes drawn at random instead");
  app.add_option("--seed", seed, "Of these");
  CLI11_PARSE(app, argc, argv);
  const std::regex wanted(regex);
  sweep::Programs of_torch =
      drawn > 0 ? sweep::drawn_torch_programs(seed, drawn) : sweep::torch_programs();
  std::vector<Result> results;
  int failed = 0;
  for (const auto& [name, make] :
       drawn > 0 ? sweep::drawn_wick_programs(seed, drawn) : sweep::wick_programs()) {
    if (!std::regex_search(name, wanted)) continue;
    try {
      const sweep::Step step = make();
      const sweep::Step other = pipeline.empty() ? of_torch.at(name)() : under(pipeline, step);
      results.push_back(compare(name, step, other, budget));
      std::fprintf(stderr, "\r%zu programs, %-60.60s", results.size(), name.c_str());
    } catch (const std::exception& error) {
      std::fprintf(stderr, "\n%s: %s\n", name.c_str(), error.what());
      ++failed;
    }
  }
  std::fprintf(stderr, "\n");
  std::ranges::sort(results, {}, &Result::ratio);
  const char* const title = pipeline.empty() ? "libtorch" : "pipeline";
  std::printf("| program | wick ms | %s ms | ratio |\n|---|---|---|---|\n", title);
  for (const Result& result : results)
    std::printf("| %s | %.3f | %.3f | %.2f |\n",
                result.name.c_str(),
                result.wick,
                result.other,
                result.ratio());
  return failed > 0 ? 1 : 0;
}
