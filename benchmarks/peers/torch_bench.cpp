// libtorch on the rows of wick_bench, which starts it and gives it its turns.
//
//     torch_bench --list
//     torch_bench --row ROW[:VARIANT]      then as harness/turns.h says
//
// THREADS=N sets the threads.

#include <cstdio>
#include <cstdlib>
#include <string>

#include "harness/turns.h"
#include "peers/torch_workloads.h"
#include <ATen/Parallel.h>
#include <dlfcn.h>
#include <torch/torch.h>

namespace {

void set_threads(int count) {
  at::set_num_threads(count);
  at::set_num_interop_threads(1);
  // An OpenBLAS with a pool of its own is not asked by ATen.
  using Set = void (*)(int);
  if (auto* set = reinterpret_cast<Set>(dlsym(RTLD_DEFAULT, "openblas_set_num_threads"))) {
    set(count);
  }
}

}  // namespace

int main(int argc, char** argv) {
  torch_bench::Workloads all;
  torch_bench::add_micro(all);
  torch_bench::add_movement(all);
  torch_bench::add_loops(all);
  torch_bench::add_models(all);
  const std::string command = argc > 1 ? argv[1] : "";
  if (command == "--list") {
    for (const auto& workload : all)
      std::printf("%s\n", workload.name.c_str());
    return 0;
  }
  const std::string name = argc > 2 ? argv[2] : "";
  const char* threads = std::getenv("THREADS");
  set_threads(threads != nullptr ? std::atoi(threads) : 1);
  torch::manual_seed(0);
  for (const auto& workload : all) {
    if (command != "--row" || workload.name != name) continue;
    return wick::bench::serve_turns([&] { return wick::bench::Turns{workload.make(), {}, {}}; });
  }
  std::fprintf(stderr, "usage: torch_bench --list | --row NAME\n");
  return 2;
}
