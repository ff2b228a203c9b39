// Random graphs through random pipelines and machine code, against the reference interpreter, for
// as long as asked, in memory that shows who touches what is not his:
//
//     fuzz_graphs SECONDS FOLDER [FIRST_SEED]
//
// Failing graphs are written to FOLDER. Exit code 1 if there were any.

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <random>

#include "differential.h"
#include "support/guarded_memory_manager.h"

namespace {

using Clock = std::chrono::steady_clock;

int fuzz(double seconds, const char* folder, uint64_t first) {
  using namespace wick::runtime;
  std::printf("seeds from %llu\n", static_cast<unsigned long long>(first));
  const auto start = Clock::now();
  auto shown = start;
  uint64_t seed = first;
  int failures = 0;
  const auto elapsed = [&] { return std::chrono::duration<double>(Clock::now() - start).count(); };
  for (; elapsed() < seconds; ++seed) {
    const DifferentialCase what = random_case(seed);
    if (const auto failure = run_and_compare(what)) {
      ++failures;
      std::printf("seed %llu: %s\n%s",
                  static_cast<unsigned long long>(seed),
                  failure->problem.c_str(),
                  write_reproducer(what, folder).c_str());
    }
    if (Clock::now() - shown > std::chrono::seconds(5)) {
      shown = Clock::now();
      std::printf("%.0f of %.0f s: %llu graphs, %d failed\n",
                  elapsed(),
                  seconds,
                  static_cast<unsigned long long>(seed + 1 - first),
                  failures);
    }
    std::fflush(stdout);
  }
  std::printf("%llu graphs, %d failed\n", static_cast<unsigned long long>(seed - first), failures);
  return failures == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: fuzz_graphs SECONDS FOLDER [FIRST_SEED]\n");
    return 2;
  }
  const wick::GuardedMemoryScope guarded;
  // Seeds far from those of the tests, and other ones each time.
  const uint64_t first =
      argc > 3 ? std::strtoull(argv[3], nullptr, 10) : uint64_t{std::random_device()()} * 1000;
  return fuzz(std::strtod(argv[1], nullptr), argv[2], first);
}
