// How many threads work is given.

#include "run_graph.h"
#include <gtest/gtest.h>

#include "wick/runtime/parallel.h"

namespace wick::runtime {
namespace {

TEST(Waking, AFewMultiplicationsAreForOneThread) {
  const ThreadsOption option(4);

  EXPECT_EQ(threads_worth_waking(0), 1);
  EXPECT_EQ(threads_worth_waking(1000), 1);
}

TEST(Waking, ManyMultiplicationsAreForAllThreads) {
  const ThreadsOption option(4);

  EXPECT_EQ(threads_worth_waking(int64_t{1} << 40U), 4);
}

TEST(Waking, InBetweenEachThreadHasWorthwhileWork) {
  const ThreadsOption option(4);
  const int64_t for_one = 65536 * waking_factor();

  EXPECT_EQ(threads_worth_waking(2 * for_one - 1), 1);
  EXPECT_EQ(threads_worth_waking(2 * for_one), 2);
  EXPECT_EQ(threads_worth_waking(3 * for_one), 3);
}

}  // namespace
}  // namespace wick::runtime
