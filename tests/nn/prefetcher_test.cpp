#include "wick/nn/data/prefetcher.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <stdexcept>
#include <thread>

#include "expect_error.h"
#include <gtest/gtest.h>

#include "wick/nn/data/dataset.h"

namespace wick::data {
namespace {

Sample number(int64_t i) {
  return {HostArray::copy(std::vector<int64_t>{i}, {1})};
}

int64_t number_in(const Sample& sample) {
  return sample[0].values<int64_t>()[0];
}

void nap(int milliseconds) {
  std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
}

TEST(Prefetcher, KeepsTheOrderWhateverTheThreads) {
  const auto uneven = [](int64_t i) {
    if (i % 7 == 0) nap(2);
    return number(i);
  };

  for (const int threads : {1, 2, 5}) {
    Prefetcher ahead({.size = 100, .threads = threads, .depth = 3}, uneven);
    int64_t wanted = 0;
    for (const Sample& sample : ahead) {
      EXPECT_EQ(number_in(sample), wanted++);
    }
    EXPECT_EQ(wanted, 100);
    EXPECT_FALSE(ahead.next().has_value());
  }
}

TEST(Prefetcher, WorksAheadButNotTooFar) {
  std::atomic<int64_t> computed{0};
  Prefetcher ahead({.size = 1000, .threads = 2, .depth = 4}, [&](int64_t i) {
    ++computed;
    return number(i);
  });

  for (int i = 0; i < 500 && computed < 4; ++i) {
    nap(2);
  }
  nap(20);
  EXPECT_EQ(computed, 4);

  EXPECT_EQ(number_in(*ahead.next()), 0);
  for (int i = 0; i < 500 && computed < 5; ++i) {
    nap(2);
  }
  nap(20);
  EXPECT_EQ(computed, 5);
}

TEST(Prefetcher, DeliversAnExceptionOnceInItsPlace) {
  Prefetcher ahead({.size = 4, .threads = 2, .depth = 2}, [](int64_t i) {
    if (i == 1) throw std::runtime_error("bad sample 1");
    return number(i);
  });

  EXPECT_EQ(number_in(*ahead.next()), 0);
  try {
    static_cast<void>(ahead.next());
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "bad sample 1");
  }
  EXPECT_EQ(number_in(*ahead.next()), 2);
  EXPECT_EQ(number_in(*ahead.next()), 3);
  EXPECT_FALSE(ahead.next().has_value());
}

TEST(Prefetcher, JoinsWhenDestroyedEarly) {
  std::atomic<int> running{0};
  std::atomic<int64_t> started{0};
  {
    Prefetcher ahead({.size = 1000000, .threads = 3, .depth = 8}, [&](int64_t i) {
      ++running;
      ++started;
      nap(1);
      --running;
      return number(i);
    });
    static_cast<void>(ahead.next());
  }

  EXPECT_EQ(running, 0);
  EXPECT_LE(started, 9);
}

TEST(Prefetcher, HandlesNothing) {
  Prefetcher ahead({.size = 0, .threads = 2, .depth = 2}, number);

  EXPECT_FALSE(ahead.next().has_value());
}

TEST(Prefetcher, IsAViewsLastStep) {
  std::vector<float> values(1000);
  for (size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<float>(i);
  }
  const DataView batches =
      DataView(TensorDataset({HostArray::copy(values, {1000})})).shuffle(3).batch(64);

  int64_t index = 0;
  for (const Sample& batch : batches.prefetch(3, 5)) {
    const auto wanted = batches.get(index++)[0];
    EXPECT_TRUE(std::ranges::equal(batch[0].values<float>(), wanted.values<float>()));
  }

  EXPECT_EQ(index, 16);
  EXPECT_EQ(testing_support::error_of([&] { static_cast<void>(batches.prefetch(0, 4)); }),
            "prefetch: 0 threads and depth 4");
}

}  // namespace
}  // namespace wick::data
