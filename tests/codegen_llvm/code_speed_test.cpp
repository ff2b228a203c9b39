// The measurement behind the code generation level of the LLVM compiler (docs/codegen.md). Not part
// of the ordinary run: it asserts nothing about a machine's speed.

#include <algorithm>
#include <cstdio>
#include <ctime>

#include "sample_kernels.h"
#include <gtest/gtest.h>

namespace wick::codegen::test {
namespace {

/// Of this thread's work: other programs disturb it less than the wall clock.
double now_ms() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) * 1e-6;
}

template <typename Work>
double median_ms(int rounds, Work work) {
  std::vector<double> times;
  for (int i = 0; i < rounds; ++i) {
    const double start = now_ms();
    work();
    times.push_back(now_ms() - start);
  }
  std::ranges::sort(times);
  return times[times.size() / 2];
}

constexpr int64_t kRows = 16;
constexpr int64_t kColumns = 1024;
constexpr int64_t kElements = kRows * kColumns;  // 64 KiB a buffer

void measure(KernelBuilder k, int64_t tasks, int64_t vectors) {
  KernelCompiler& compiler = llvm_compiler();
  std::vector<std::byte> object;
  KernelFunction function = nullptr;
  const double compile = median_ms(15, [&] { object = compiler.compile(k.kernel(), "measured"); });
  const double load = median_ms(15, [&] { function = compiler.load(object, "measured"); });
  std::vector<std::vector<float>> arrays(k.kernel().buffers.size(),
                                         std::vector<float>(kElements, 0.25F));
  std::vector<void*> buffers;
  for (auto& array : arrays)
    buffers.push_back(array.data());
  constexpr int kRepeats = 1000;
  const double run = median_ms(9, [&] {
    for (int i = 0; i < kRepeats; ++i) {
      function(buffers.data(), k.params().data(), 0, tasks, 0, vectors);
    }
  });
  std::printf("%-12s compile %.2f ms, load %.3f ms, run %.3f ns an element\n",
              k.kernel().name.c_str(),
              compile,
              load,
              run * 1e6 / (static_cast<double>(kElements) * kRepeats));
}

TEST(CodeSpeed, DISABLED_OfCompilingAndRunning) {
  measure(chain_kernel(kElements), 1, kElements);
  measure(softmax_kernel(kRows, kColumns), kRows, 0);
  measure(row_sum_kernel(kRows, kColumns), kRows, 0);
  measure(column_sum_kernel(kRows, kColumns), 1, kColumns);
}

}  // namespace
}  // namespace wick::codegen::test
