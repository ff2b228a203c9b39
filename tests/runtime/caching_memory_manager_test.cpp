#include <cstring>
#include <new>
#include <random>
#include <set>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "wick/runtime/buffer.h"
#include "wick/runtime/memory_manager.h"

namespace wick::runtime {
namespace {

constexpr AllocationTag kTag{.purpose = "test", .where = {}};
constexpr size_t kMiB = size_t{1} << 20U;

bool is_aligned(const void* block, size_t alignment) {
  return reinterpret_cast<uintptr_t>(block) % alignment == 0;
}

TEST(CachingMemoryManager, AlignsBlocks) {
  const auto manager = make_caching_memory_manager();

  for (const size_t bytes : {size_t{0},
                             size_t{1},
                             size_t{63},
                             size_t{65},
                             size_t{300},
                             size_t{5000},
                             size_t{70000},
                             3 * kMiB}) {
    void* block = manager->allocate(bytes, kTag);

    EXPECT_TRUE(is_aligned(block, 64)) << bytes;
    manager->free(block);
  }
}

TEST(CachingMemoryManager, PutsLargeBlocksOnHugePages) {
  const auto manager = make_caching_memory_manager();

  void* block = manager->allocate(5 * kMiB + 1, kTag);

  EXPECT_TRUE(is_aligned(block, 2 * kMiB));
  EXPECT_EQ(manager->stats().bytes_reserved, static_cast<int64_t>(5 * kMiB + 4096));
  manager->free(block);
}

TEST(CachingMemoryManager, ReusesAFreedBlock) {
  const auto manager = make_caching_memory_manager();
  for (const size_t bytes : {size_t{100}, size_t{40000}, size_t{200000}, 10 * kMiB}) {
    void* first = manager->allocate(bytes, kTag);
    manager->free(first);
    const int64_t maps = manager->stats().system_allocations;

    void* second = manager->allocate(bytes, kTag);

    EXPECT_EQ(second, first) << bytes;
    EXPECT_EQ(manager->stats().system_allocations, maps);
    manager->free(second);
  }
}

TEST(CachingMemoryManager, SplitsALargeBlockAndMergesItAgain) {
  const auto manager = make_caching_memory_manager();
  void* whole = manager->allocate(16 * kMiB, kTag);
  manager->free(whole);

  void* left = manager->allocate(4 * kMiB, kTag);
  void* middle = manager->allocate(4 * kMiB, kTag);
  void* right = manager->allocate(8 * kMiB, kTag);

  EXPECT_EQ(manager->stats().system_allocations, 1);
  manager->free(left);
  manager->free(right);
  manager->free(middle);
  EXPECT_EQ(manager->allocate(16 * kMiB, kTag), whole);
  EXPECT_EQ(manager->stats().system_allocations, 1);
  manager->free(whole);
}

TEST(CachingMemoryManager, TakesTheBestFit) {
  const auto manager = make_caching_memory_manager();
  void* big = manager->allocate(32 * kMiB, kTag);
  void* fitting = manager->allocate(4 * kMiB, kTag);
  manager->free(big);
  manager->free(fitting);

  EXPECT_EQ(manager->allocate(4 * kMiB, kTag), fitting);
  manager->free(fitting);
}

TEST(CachingMemoryManager, KeepsAGiantBlockForGiantRequests) {
  const auto manager = make_caching_memory_manager();
  void* giant = manager->allocate(300 * kMiB, kTag);
  manager->free(giant);

  void* small = manager->allocate(2 * kMiB, kTag);

  EXPECT_NE(small, giant);
  EXPECT_EQ(manager->allocate(290 * kMiB, kTag), giant);
  EXPECT_EQ(manager->stats().system_allocations, 2);
  manager->free(small);
  manager->free(giant);
}

TEST(CachingMemoryManager, CountsExactly) {
  const auto manager = make_caching_memory_manager();

  void* a = manager->allocate(1000, kTag);
  void* b = manager->allocate(3 * kMiB + 1, kTag);
  manager->free(a);
  void* c = manager->allocate(0, kTag);

  const MemoryStats stats = manager->stats();
  EXPECT_EQ(stats.bytes_in_use, static_cast<int64_t>(3 * kMiB + 1));
  EXPECT_EQ(stats.peak_bytes_in_use, static_cast<int64_t>(3 * kMiB + 1001));
  EXPECT_EQ(stats.allocations, 3);
  EXPECT_EQ(stats.system_allocations, 2);
  manager->free(b);
  manager->free(c);
  EXPECT_EQ(manager->stats().bytes_in_use, 0);
}

TEST(CachingMemoryManager, GivesTheCacheBack) {
  const auto manager = make_caching_memory_manager();
  void* kept = manager->allocate(8 * kMiB, kTag);
  void* large = manager->allocate(20 * kMiB, kTag);
  void* small = manager->allocate(128, kTag);
  manager->free(large);
  manager->free(small);

  manager->release_cached();

  EXPECT_EQ(manager->stats().bytes_reserved, static_cast<int64_t>(8 * kMiB));
  manager->free(kept);
  manager->release_cached();
  EXPECT_EQ(manager->stats().bytes_reserved, 0);
}

TEST(CachingMemoryManager, ThrowsBadAllocForTheImpossible) {
  const auto manager = make_caching_memory_manager();

  EXPECT_THROW((void)manager->allocate(size_t{1} << 62U, kTag), std::bad_alloc);
  // More than addresses have bits for: less than that some systems promise.
  EXPECT_THROW((void)manager->allocate(size_t{1} << 58U, kTag), std::bad_alloc);

  void* block = manager->allocate(64, kTag);
  EXPECT_NE(block, nullptr);
  manager->free(block);
}

TEST(CachingMemoryManager, NeverHandsOutOverlappingBlocks) {
  const auto manager = make_caching_memory_manager();
  std::mt19937_64 random(7);

  struct Live {
    std::byte* data;
    size_t bytes;
    std::byte mark;
  };

  std::vector<Live> live;

  for (int step = 0; step < 4000; ++step) {
    if (live.size() > 60 || (!live.empty() && random() % 2 == 0)) {
      const size_t victim = random() % live.size();
      const Live block = live[victim];
      ASSERT_EQ(block.data[0], block.mark);
      ASSERT_EQ(block.data[block.bytes - 1], block.mark);
      manager->free(block.data);
      live[victim] = live.back();
      live.pop_back();
      continue;
    }
    const size_t bytes = 1 + random() % (size_t{1} << (4 + random() % 18));
    auto* data = static_cast<std::byte*>(manager->allocate(bytes, kTag));
    const auto mark = static_cast<std::byte>(step);
    std::memset(data, step, bytes);
    live.push_back({data, bytes, mark});
  }

  for (const Live& block : live)
    manager->free(block.data);
  manager->release_cached();
  EXPECT_EQ(manager->stats().bytes_reserved, 0);
}

TEST(CachingMemoryManager, ServesManyThreads) {
  const auto manager = make_caching_memory_manager();
  const auto work = [&](int seed) {
    std::mt19937_64 random(static_cast<uint64_t>(seed));
    for (int i = 0; i < 2000; ++i) {
      const size_t bytes = 1 + random() % 300000;
      auto* data = static_cast<unsigned char*>(manager->allocate(bytes, kTag));
      data[0] = static_cast<unsigned char>(seed);
      data[bytes - 1] = static_cast<unsigned char>(seed);
      ASSERT_EQ(data[0], seed);
      ASSERT_EQ(data[bytes - 1], seed);
      manager->free(data);
    }
  };

  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back(work, t);
  for (std::thread& thread : threads)
    thread.join();

  EXPECT_EQ(manager->stats().allocations, 8000);
  EXPECT_EQ(manager->stats().bytes_in_use, 0);
}

TEST(Buffer, OutlivesASwapOfManagers) {
  const auto own = make_caching_memory_manager();
  const auto previous = set_memory_manager(own);
  Ref<Buffer> buffer = Buffer::allocate(1000, kTag);

  EXPECT_EQ(set_memory_manager(previous), own);
  Ref<Buffer> other = Buffer::allocate(1000, kTag);

  EXPECT_EQ(own->stats().bytes_in_use, 1000);
  EXPECT_EQ(own->stats().allocations, 1);
  buffer = nullptr;
  EXPECT_EQ(own->stats().bytes_in_use, 0);
}

TEST(Buffer, KeepsItsManagerAlive) {
  auto own = make_caching_memory_manager();
  const std::weak_ptr<MemoryManager> watch = own;
  const auto previous = set_memory_manager(std::move(own));
  Ref<Buffer> buffer = Buffer::allocate(64, kTag);

  (void)set_memory_manager(previous);

  EXPECT_FALSE(watch.expired());
  buffer = nullptr;
  EXPECT_TRUE(watch.expired());
}

TEST(Buffer, WrapsForeignMemory) {
  int values[4] = {1, 2, 3, 4};
  int deleted = 0;

  {
    const Ref<Buffer> buffer =
        Buffer::wrap(values, sizeof(values), [&] { ++deleted; }, /*writable=*/false);
    const Ref<Buffer> second = buffer;

    EXPECT_EQ(buffer->data(), values);
    EXPECT_EQ(buffer->size(), sizeof(values));
    EXPECT_FALSE(buffer->is_writable());
    EXPECT_EQ(deleted, 0);
  }

  EXPECT_EQ(deleted, 1);
}

}  // namespace
}  // namespace wick::runtime
