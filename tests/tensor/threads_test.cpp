#include <atomic>
#include <thread>

#include "expect_values.h"

#include "wick/passes/options.h"

namespace wick {
namespace {

/// Runs `body(thread number)` on several threads at once.
template <typename Body>
void on_threads(int count, const Body& body) {
  std::vector<std::jthread> threads;
  for (int i = 0; i < count; ++i)
    threads.emplace_back([&body, i] { body(i); });
}

TEST(Threads, RecordAndReadAtOnce) {
  std::atomic<int> wrong{0};

  on_threads(4, [&wrong](int thread) {
    for (int round = 0; round < 100; ++round) {
      Tensor x = full({8}, thread);
      for (int i = 0; i < 10; ++i)
        x = x + 1;
      const float got = x.sum().item<float>();
      if (got != static_cast<float>(8 * (thread + 10))) ++wrong;
    }
  });

  EXPECT_EQ(wrong, 0);
}

TEST(Threads, ShareOnePendingProgram) {
  for (int round = 0; round < 50; ++round) {
    const Tensor shared = exp(full({8}, 0.0)) * 3;
    std::atomic<int> wrong{0};

    on_threads(4, [&shared, &wrong](int thread) {
      const Tensor mine = shared + thread;
      if (mine.to_vector<float>()[3] != static_cast<float>(3 + thread)) ++wrong;
      if (shared.to_vector<float>()[0] != 3.0F) ++wrong;
    });

    EXPECT_EQ(wrong, 0);
  }
}

TEST(Threads, TensorsOutliveTheirThread) {
  Tensor result;
  std::thread([&result] { result = full({4}, 2.0) * 4; }).join();

  testing_support::expect_values(result, {4}, {8, 8, 8, 8});
}

TEST(Threads, GradModeIsTheThreadsOwn) {
  detail::set_grad_mode(false);
  bool other = false;
  std::thread([&other] { other = detail::grad_mode(); }).join();
  detail::set_grad_mode(true);

  EXPECT_TRUE(other);
}

TEST(Threads, RandomNumbersAreDistinct) {
  manual_seed(5);
  std::vector<Tensor> drawn(8);

  on_threads(8, [&drawn](int thread) {
    drawn[static_cast<size_t>(thread)] = rand({64});
    materialize(drawn[static_cast<size_t>(thread)]);
  });

  for (size_t i = 0; i < drawn.size(); ++i) {
    for (size_t j = 0; j < i; ++j) {
      EXPECT_NE(drawn[i].to_vector<float>(), drawn[j].to_vector<float>());
    }
  }
}

}  // namespace
}  // namespace wick
