// What a step of a known program asks of the system, in counts. A program of its own: it counts
// the allocations of the whole process.

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <functional>
#include <new>

#include <gtest/gtest.h>
#include <sys/resource.h>

#include "wick/autograd/autograd.h"
#include "wick/nn/nn.h"
#include "wick/passes/options.h"
#include "wick/runtime/memory_manager.h"
#include "wick/tensor/plan_cache.h"

namespace {

std::atomic<int64_t> heap_allocations{0};

void* allocate(size_t bytes, size_t alignment) {
  heap_allocations.fetch_add(1, std::memory_order_relaxed);
  const size_t rounded = (std::max<size_t>(bytes, 1) + alignment - 1) / alignment * alignment;
  void* const block = std::aligned_alloc(alignment, rounded);
  if (block == nullptr) throw std::bad_alloc();
  return block;
}

}  // namespace

// Not inlined: GCC takes free() of what operator new gave for a mistake.
[[gnu::noinline]] void* operator new(size_t bytes) {
  return allocate(bytes, alignof(std::max_align_t));
}

void* operator new(size_t bytes, std::align_val_t alignment) {
  return allocate(bytes, static_cast<size_t>(alignment));
}

[[gnu::noinline]] void operator delete(void* block) noexcept {
  std::free(block);
}

[[gnu::noinline]] void operator delete(void* block, size_t /*bytes*/) noexcept {
  std::free(block);
}

void operator delete(void* block, std::align_val_t /*alignment*/) noexcept {
  std::free(block);
}

void operator delete(void* block, size_t /*bytes*/, std::align_val_t /*alignment*/) noexcept {
  std::free(block);
}

namespace wick {
namespace {

struct Counts {
  int64_t heap_allocations = 0;
  int64_t system_allocations = 0;  // of the memory manager
  int64_t bytes_in_use = 0;
  int64_t page_faults = 0;
  int64_t programs = 0;  // compiled

  static Counts now() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    const runtime::MemoryStats memory = runtime::memory_manager()->stats();
    return {heap_allocations_now(),
            memory.system_allocations,
            memory.bytes_in_use,
            usage.ru_minflt,
            detail::plan_cache_stats().misses};
  }

  friend Counts operator-(const Counts& a, const Counts& b) {
    return {a.heap_allocations - b.heap_allocations,
            a.system_allocations - b.system_allocations,
            a.bytes_in_use - b.bytes_in_use,
            a.page_faults - b.page_faults,
            a.programs - b.programs};
  }

 private:
  static int64_t heap_allocations_now() { return ::heap_allocations.load(); }
};

constexpr int kSteps = 10;
/// They fill caches and pools. A compile gives what it freed back to the system, and the small
/// blocks of a library's calls touch those pages anew one by one.
constexpr int kWarmSteps = 300;

/// Of ten steps in the steady state.
Counts of_ten_steps(const std::function<void()>& step) {
  for (int i = 0; i < kWarmSteps; ++i)
    step();
  const Counts before = Counts::now();
  for (int i = 0; i < kSteps; ++i)
    step();
  return Counts::now() - before;
}

/// Nodes are not recycled under a sanitizer.
#ifdef __SANITIZE_ADDRESS__
constexpr bool kRecyclesNodes = false;
#else
constexpr bool kRecyclesNodes = true;
#endif

void expect_no_new_memory(const Counts& counts) {
  EXPECT_EQ(counts.programs, 0);
  EXPECT_EQ(counts.system_allocations, 0);
  EXPECT_EQ(counts.bytes_in_use, 0);
  // A few pages of the stack or of code that runs for the first time.
  if (kRecyclesNodes) {
    EXPECT_LE(counts.page_faults, 16);
  }
}

Tensor known(Shape shape) {
  Tensor x = rand(std::move(shape));
  materialize(x);
  return x;
}

void add_thousand_times(const Tensor& x, const Tensor& c) {
  Tensor y = x;
  for (int i = 0; i < 1000; ++i)
    y = y + c;
  materialize(y);
}

class SteadyState : public testing::Test {
 protected:
  void SetUp() override {
    if (options().backend == "interpreter") GTEST_SKIP() << "about compiled programs";
  }
};

TEST_F(SteadyState, RecordingAndRunningOpsAllocatesNothing) {
  const Tensor x = known({16});
  const Tensor c = known({16});

  const Counts counts = of_ten_steps([&] { add_thousand_times(x, c); });

  expect_no_new_memory(counts);
  if (kRecyclesNodes) {
    EXPECT_LE(counts.heap_allocations, 20 * kSteps);  // of 1000 ops a step
  }
}

TEST_F(SteadyState, RecordingHistoryAllocatesNothing) {
  Tensor x = known({16});
  x.requires_grad_();
  const Tensor c = known({16});

  const Counts counts = of_ten_steps([&] { add_thousand_times(x, c); });

  expect_no_new_memory(counts);
  if (kRecyclesNodes) {
    EXPECT_LE(counts.heap_allocations, 20 * kSteps);
  }
}

/// Steps of SGD; `most_heap_allocations` a step.
void train(nn::Module& model, const Tensor& x, int64_t most_heap_allocations) {
  const Tensor labels = randint(0, 10, {x.size(0)});
  materialize(labels);
  optim::SGD optimizer(model.parameters(), {.lr = 0.01, .momentum = 0.9});

  const Counts counts = of_ten_steps([&] {
    optimizer.zero_grad();
    nn::cross_entropy(model(x), labels).backward();
    optimizer.step();
  });

  expect_no_new_memory(counts);
  if (kRecyclesNodes) {
    EXPECT_LE(counts.heap_allocations, most_heap_allocations * kSteps);
  }
}

TEST_F(SteadyState, AnMlpStepReusesItsMemory) {
  nn::Sequential model(nn::Linear(784, 512), nn::ReLU(), nn::Linear(512, 10));

  train(model, known({256, 784}), 1000);
}

TEST_F(SteadyState, AConvolutionStepReusesItsMemory) {
  nn::Sequential model(nn::Conv2d(1, 16, {5, 5}),
                       nn::ReLU(),
                       nn::MaxPool2d(2),
                       nn::Flatten(),
                       nn::Linear(16 * 12 * 12, 10));

  train(model, known({64, 1, 28, 28}), 5000);
}

}  // namespace
}  // namespace wick
