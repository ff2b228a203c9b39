// How threads share out calls.

#include "wick/runtime/parallel.h"

#include <atomic>
#include <chrono>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

#include "run_graph.h"
#include <gtest/gtest.h>

namespace wick::runtime {
namespace {

TEST(Parallel, EveryCallIsMadeOnce) {
  const ThreadsOption option(3);
  std::vector<std::atomic<int>> calls(1000);

  parallel_for(1000, [&](int64_t i) { ++calls[static_cast<size_t>(i)]; });

  for (const std::atomic<int>& count : calls)
    EXPECT_EQ(count, 1);
}

/// Each waits in its first call until all have one.
TEST(Parallel, ThreadsBeginWithSharesOfTheirOwn) {
  constexpr int kThreads = 2;
  const ThreadsOption option(kThreads);
  std::mutex mutex;
  std::set<std::thread::id> threads;
  std::set<int64_t> first_calls;

  parallel_for(8, [&](int64_t i) {
    const auto everyone = [&] {
      const std::lock_guard lock(mutex);
      if (threads.insert(std::this_thread::get_id()).second) first_calls.insert(i);
      return threads.size() == kThreads;
    };
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    while (!everyone() && std::chrono::steady_clock::now() < deadline)
      std::this_thread::yield();
  });

  EXPECT_EQ(first_calls, (std::set<int64_t>{0, 4}));
}

/// One of them waits in its first call until the other has made all others.
TEST(Parallel, ThreadsThatAreDoneTakeWhatOthersHaveLeft) {
  const ThreadsOption option(2);
  std::atomic<int> done = 0;
  int done_before_first = 0;

  parallel_for(8, [&](int64_t i) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    while (i == 0 && done < 7 && std::chrono::steady_clock::now() < deadline)
      std::this_thread::yield();
    if (i == 0) done_before_first = done;
    ++done;
  });

  EXPECT_EQ(done_before_first, 7);
}

}  // namespace
}  // namespace wick::runtime
