// Every small program in Wick and in libtorch, in turns in one process, slowest first by ratio:
//
//     sweep [REGEX [MILLISECONDS]]       of turns for each program, 200 unless told
//
// It looks for cliffs: a program that takes many times as long as in another library.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <regex>
#include <string>
#include <vector>

#include "harness/turns.h"
#include "sweep/programs.h"

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
  double torch;

  [[nodiscard]] double ratio() const { return torch / wick; }
};

Result compare(const std::string& name,
               const sweep::Step& wick,
               const sweep::Step& torch,
               double budget) {
  constexpr size_t kFewest = 5;
  constexpr size_t kMost = 300;
  for (int warm_up = 0; warm_up < 3; ++warm_up) {
    wick();
    torch();
  }
  std::vector<double> of_wick;
  std::vector<double> of_torch;
  const double begin = milliseconds();
  while (of_wick.size() < kFewest || (milliseconds() - begin < budget && of_wick.size() < kMost)) {
    of_wick.push_back(time_of(wick));
    of_torch.push_back(time_of(torch));
  }
  return {name, median(of_wick), median(of_torch)};
}

}  // namespace

int main(int argc, char** argv) {
  const std::regex wanted(argc > 1 ? argv[1] : ".");
  const double budget = argc > 2 ? std::atof(argv[2]) : 200;
  sweep::Programs of_torch = sweep::torch_programs();
  std::vector<Result> results;
  int failed = 0;
  for (const auto& [name, make] : sweep::wick_programs()) {
    if (!std::regex_search(name, wanted)) continue;
    try {
      results.push_back(compare(name, make(), of_torch.at(name)(), budget));
      std::fprintf(stderr, "\r%zu programs, %-60.60s", results.size(), name.c_str());
    } catch (const std::exception& error) {
      std::fprintf(stderr, "\n%s: %s\n", name.c_str(), error.what());
      ++failed;
    }
  }
  std::fprintf(stderr, "\n");
  std::ranges::sort(results, {}, &Result::ratio);
  std::printf("| program | wick ms | libtorch ms | ratio |\n|---|---|---|---|\n");
  for (const Result& result : results)
    std::printf("| %s | %.3f | %.3f | %.2f |\n",
                result.name.c_str(),
                result.wick,
                result.torch,
                result.ratio());
  return failed > 0 ? 1 : 0;
}
