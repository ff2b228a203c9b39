// What a kernel costs to compile, to load from its cached object and to run: the measurement behind
// the code generation level of the LLVM compiler (docs/codegen.md). WICK_CODEGEN_OPT=0|1|2 sets
// another level.

#include <string>
#include <vector>

#include "codegen_llvm/sample_kernels.h"
#include <benchmark/benchmark.h>

namespace {

using wick::codegen::KernelCompiler;
using wick::codegen::KernelFunction;
using wick::codegen::llvm_compiler;
using wick::codegen::test::KernelBuilder;

constexpr int64_t kRows = 16;
constexpr int64_t kColumns = 1024;
constexpr int64_t kElements = kRows * kColumns;  // 64 KiB a buffer

struct Sample {
  const char* name;
  KernelBuilder kernel;
  int64_t tasks;
  int64_t vectors;
};

void compile(benchmark::State& state, KernelBuilder& k) {
  for (auto _ : state) {
    benchmark::DoNotOptimize(llvm_compiler().compile(k.kernel(), "measured"));
  }
}

void load(benchmark::State& state, KernelBuilder& k) {
  const std::vector<std::byte> object = llvm_compiler().compile(k.kernel(), "measured");
  for (auto _ : state) {
    benchmark::DoNotOptimize(llvm_compiler().load(object, "measured"));
  }
}

void run(benchmark::State& state, Sample& sample) {
  KernelCompiler& compiler = llvm_compiler();
  KernelBuilder& k = sample.kernel;
  const KernelFunction function =
      compiler.load(compiler.compile(k.kernel(), "measured"), "measured");
  std::vector<std::vector<float>> arrays(k.kernel().buffers.size(),
                                         std::vector<float>(kElements, 0.25F));
  std::vector<void*> buffers;
  for (auto& array : arrays)
    buffers.push_back(array.data());
  for (auto _ : state) {
    function(buffers.data(), k.params().data(), 0, sample.tasks, 0, sample.vectors);
    benchmark::ClobberMemory();
  }
  state.counters["time/element"] = benchmark::Counter(
      static_cast<double>(kElements),
      benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

}  // namespace

int main(int argc, char** argv) {
  using namespace wick::codegen::test;
  std::vector<Sample> samples = {{"chain", chain_kernel(kElements), 1, kElements},
                                 {"softmax", softmax_kernel(kRows, kColumns), kRows, 0},
                                 {"row_sums", row_sum_kernel(kRows, kColumns), kRows, 0},
                                 {"column_sums", column_sum_kernel(kRows, kColumns), 1, kColumns}};
  for (Sample& sample : samples) {
    const std::string name = sample.name;
    benchmark::RegisterBenchmark((name + "/compile").c_str(), [&](benchmark::State& state) {
      compile(state, sample.kernel);
    })->Unit(benchmark::kMillisecond);
    benchmark::RegisterBenchmark((name + "/load").c_str(), [&](benchmark::State& state) {
      load(state, sample.kernel);
    })->Unit(benchmark::kMicrosecond);
    benchmark::RegisterBenchmark((name + "/run").c_str(), [&](benchmark::State& state) {
      run(state, sample);
    })->Unit(benchmark::kMicrosecond);
  }
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RunSpecifiedBenchmarks();
}
