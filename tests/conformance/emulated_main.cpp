// Runs the operator cases that PyTorch computed on a simulated GPU: once to learn which kernels
// there are, by the kernel interpreter, and once more with their CUDA texts compiled for the host.

#include <algorithm>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "runner.h"
#include "runtime_cuda/simulated_gpu.h"
#include "support/test_file.h"
#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "wick/codegen/cuda/nvrtc.h"

namespace wick::conformance {
namespace {

struct Flags {
  std::string filter = ".*";
  std::vector<std::string> families;
  int cubins = 0;
};

/// Compiles the texts to cubins and prints what they take; the number of kernels that spill.
int compile_cubins(std::span<const codegen::cuda::ProgramKernel> kernels, int compute_capability) {
  constexpr size_t kMost = 100;  // of one program
  int registers = 0;
  int spilling = 0;
  for (size_t begin = 0; begin < kernels.size(); begin += kMost) {
    const auto some = kernels.subspan(begin, std::min(kMost, kernels.size() - begin));
    const codegen::cuda::CompiledProgram program = codegen::cuda::Nvrtc::instance().compile(
        codegen::cuda::program_text(some), compute_capability);
    for (const codegen::cuda::KernelResources& kernel : program.resources) {
      registers = std::max(registers, kernel.registers);
      // Calls of division may save a few registers; and a kernel spills that has all there are for
      // its block.
      constexpr int kMostRegisters = 128;
      if (kernel.spill_bytes <= 32 || kernel.registers >= kMostRegisters) continue;
      ++spilling;
      const auto found =
          std::ranges::find(some, kernel.symbol, &codegen::cuda::ProgramKernel::symbol);
      fmt::print("{} bytes spilled by\n{}", kernel.spill_bytes, to_string(*found->kernel));
    }
  }
  fmt::print("{} kernels, at most {} registers, {} spill\n", kernels.size(), registers, spilling);
  return spilling;
}

int run(const Flags& flags) {
  runtime::cuda::SimulatedGpu gpu;
  gpu.driver().keep_calls(false);
  const Runner runner(test_file(WICK_CONFORMANCE_CASES),
                      test_file(WICK_SOURCE_DIR "/tests/conformance/exceptions.txt"),
                      flags.filter);
  fmt::print("by the kernel interpreter:\n");
  constexpr const char* kBackend = "cuda";
  (void)runner.run_families(flags.families, kBackend);
  codegen::cuda::test::EmulatedKernels& texts = gpu.machine().texts();
  const bool makes_cubins = flags.cubins > 0 && codegen::cuda::Nvrtc::instance().is_available();
  if (makes_cubins && compile_cubins(texts.kernels(), flags.cubins) > 0) return 1;
  texts.compile();
  gpu.machine().run_texts();
  fmt::print("as {} texts:\n", texts.kernels().size());
  return report(runner.run_families(flags.families, kBackend));
}

}  // namespace
}  // namespace wick::conformance

int main(int argc, char** argv) {
  wick::conformance::Flags flags;
  CLI::App app("Runs the operator cases that PyTorch computed with kernels as CUDA text.",
               "test_conformance_cuda");
  app.add_option("--filter", flags.filter, "regular expression over the names of cases");
  app.add_option("--family", flags.families, "families to run; all by default");
  app.add_option(
      "--cubins",
      flags.cubins,
      "also compile all for this compute capability, such as 90, where NVRTC is installed");
  CLI11_PARSE(app, argc, argv);
  try {
    return wick::conformance::run(flags);
  } catch (const std::exception& error) {
    fmt::print(stderr, "test_conformance_cuda: {}\n", error.what());
    return 2;
  }
}
