// Every small program in Wick and in libtorch, in turns in one process, slowest first by ratio:
//
//     sweep [REGEX [MILLISECONDS [PIPELINE]]] [--drawn COUNT] [--seed N] [--floors]
//
// with so many milliseconds of turns for each program, 200 unless told; or as many single ops and
// layers of shapes drawn at random. It looks for cliffs: a
// program that takes many times as long as in another library. With a pipeline of passes, Wick
// under that takes the place of the other library: where it is faster with less done, a pass does
// harm. With floors, the least time that a program could take does: that of its products alone, or
// of moving what it is given and what it gives, whichever is longer.

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <functional>
#include <memory>
#include <regex>
#include <string>
#include <vector>

#include "harness/floor_timer.h"
#include "harness/inspection.h"
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

/// Runs something once and tells how many milliseconds it took.
using Timed = std::function<double()>;

Timed timed(const sweep::Step& step) {
  return [step] {
    const double begin = milliseconds();
    step();
    return milliseconds() - begin;
  };
}

Timed floor_of(const sweep::Step& step) {
  using namespace wick::bench;  // NOLINT: the floors of the benchmark
  const auto found = std::make_shared<Inspection>(inspect(step));
  const auto timer = [&](const Floor& floor) {
    return std::make_shared<FloorTimer>(
        floor, [found]() -> const Products& { return found->products; }, nullptr);
  };
  const auto copy =
      timer({.kind = Floor::Kind::copy, .bytes = static_cast<double>(found->edge_bytes)});
  if (found->products.entries.empty()) return [copy] { return copy->time(); };
  const auto products = timer({.kind = Floor::Kind::products});
  return [copy, products] { return std::max(copy->time(), products->time()); };
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

Result compare(const std::string& name, const Timed& wick, const Timed& other, double budget) {
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
    of_wick.push_back(wick());
    of_other.push_back(other());
  }
  return {name, median(of_wick), median(of_other)};
}

}  // namespace

int main(int argc, char** argv) {
  std::string regex = ".";
  double budget = 200;
  std::string pipeline;
  bool floors = false;
  size_t drawn = 0;
  uint64_t seed = 1;
  CLI::App app("Small programs in Wick and in libtorch, those where Wick does worst first");
  app.add_option("regex", regex, "Of the names of programs");
  app.add_option("milliseconds", budget, "Of turns for each program");
  app.add_option("pipeline", pipeline, "Of passes, which takes the place of libtorch");
  app.add_option("--drawn", drawn, "How many programs of shapes drawn at random instead");
  app.add_option("--seed", seed, "Of these");
  app.add_flag("--floors", floors, "The least time that a program could take, instead of libtorch");
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
      const Timed other = floors             ? floor_of(step)
                          : pipeline.empty() ? timed(of_torch.at(name)())
                                             : timed(under(pipeline, step));
      results.push_back(compare(name, timed(step), other, budget));
      std::fprintf(stderr, "\r%zu programs, %-60.60s", results.size(), name.c_str());
    } catch (const std::exception& error) {
      std::fprintf(stderr, "\n%s: %s\n", name.c_str(), error.what());
      ++failed;
    }
  }
  std::fprintf(stderr, "\n");
  std::ranges::sort(results, {}, &Result::ratio);
  const char* const title = floors ? "floor" : pipeline.empty() ? "libtorch" : "pipeline";
  std::printf("| program | wick ms | %s ms | ratio |\n|---|---|---|---|\n", title);
  for (const Result& result : results)
    std::printf("| %s | %.3f | %.3f | %.2f |\n",
                result.name.c_str(),
                result.wick,
                result.other,
                result.ratio());
  return failed > 0 ? 1 : 0;
}
