// Five million recorded ops: differentiated and released without recursion, in linear work and
// memory. Work is counted by allocations; a program of its own, since it counts all of them.

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <new>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <malloc.h>
#include <sys/resource.h>

#include "wick/autograd/autograd.h"
#include "wick/passes/options.h"
#include "wick/tensor/ops.h"

namespace {

std::atomic<int64_t> num_allocations{0};

}  // namespace

// NOLINTBEGIN(cppcoreguidelines-owning-memory): these are operator new and delete.
void* operator new(size_t size) {
  num_allocations.fetch_add(1, std::memory_order_relaxed);
  if (void* const memory = std::malloc(size)) return memory;
  throw std::bad_alloc();
}

void* operator new(size_t size, std::align_val_t alignment) {
  num_allocations.fetch_add(1, std::memory_order_relaxed);
  const auto multiple = static_cast<size_t>(alignment);
  if (void* const memory =
          std::aligned_alloc(multiple, (size + multiple - 1) / multiple * multiple))
    return memory;
  throw std::bad_alloc();
}

void operator delete(void* memory) noexcept {
  std::free(memory);
}

void operator delete(void* memory, std::align_val_t /*alignment*/) noexcept {
  std::free(memory);
}

void operator delete(void* memory, size_t /*size*/, std::align_val_t /*alignment*/) noexcept {
  std::free(memory);
}

void operator delete(void* memory, size_t /*size*/) noexcept {
  std::free(memory);
}

// NOLINTEND(cppcoreguidelines-owning-memory)

namespace wick {
namespace {

constexpr int64_t kMillion = 1'000'000;
constexpr size_t kStackBytes = 512U << 10U;

int64_t bytes_in_use() {
  const struct mallinfo2 info = mallinfo2();
  return static_cast<int64_t>(info.uordblks + info.hblkhd);
}

/// What recording, differentiating and releasing a graph took.
struct Cost {
  int64_t ops = 0;  // recorded by the caller
  int64_t forward_bytes = 0;
  int64_t nodes = 0;  // with those of the gradient
  int64_t bytes = 0;  // likewise
  int64_t kept_bytes = 0;
  int64_t allocations = 0;
};

Cost cost_of(int64_t num_ops) {
  Cost cost{.ops = num_ops};
  const int64_t nodes = detail::num_pending_nodes();
  const int64_t bytes = bytes_in_use();
  const int64_t allocations = num_allocations;
  {
    Tensor x = scalar(0.5);
    x.requires_grad_();
    Tensor y = x;
    for (int64_t i = 0; i < num_ops / 2; ++i)
      y = sin(y) + x;
    cost.forward_bytes = bytes_in_use() - bytes;
    const Tensor gradient = grad(y, x);
    cost.nodes = detail::num_pending_nodes() - nodes;
    cost.bytes = bytes_in_use() - bytes;
  }
  cost.kept_bytes = bytes_in_use() - bytes;
  cost.allocations = num_allocations - allocations;
  return cost;
}

double per(int64_t amount, int64_t count) {
  return static_cast<double>(amount) / static_cast<double>(count);
}

TEST(AutogradScale, FiveMillionOps) {
  rlimit stack{};
  ASSERT_EQ(getrlimit(RLIMIT_STACK, &stack), 0);
  ASSERT_LE(stack.rlim_cur, kStackBytes) << "run with ulimit -s 512";
  Options options = wick::options();
  options.max_pending = 1 << 24;
  const ScopedOptions scope(options);
  (void)cost_of(kMillion / 10);  // what is made once, and the blocks that a thread keeps for reuse

  const Cost small = cost_of(kMillion);
  const Cost large = cost_of(5 * kMillion);

  for (const Cost& cost : {small, large}) {
    fmt::print(
        "{} ops: {:.1f} bytes an op; with gradient {} nodes, {:.1f} bytes and {:.2f} allocations a "
        "node\n",
        cost.ops,
        per(cost.forward_bytes, cost.ops),
        cost.nodes,
        per(cost.bytes, cost.nodes),
        per(cost.allocations, cost.nodes));
    EXPECT_LE(per(cost.forward_bytes, cost.ops), 200);
    EXPECT_LE(per(cost.bytes, cost.nodes), 200);
    EXPECT_LE(cost.kept_bytes, cost.bytes / 100) << "released";
  }
  EXPECT_NEAR(per(large.nodes, small.nodes), 5, 0.01);
  // Both find as many blocks that the run before left for reuse.
  EXPECT_NEAR(per(large.allocations, small.allocations), 5, 0.1);
}

}  // namespace
}  // namespace wick
