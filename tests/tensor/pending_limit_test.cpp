#include "wick/tensor/pending_limit.h"

#include "expect_values.h"

#include "wick/passes/options.h"
#include "wick/tensor/materialize.h"
#include "wick/tensor/plan_cache.h"

namespace wick::detail {
namespace {

using wick::testing_support::expect_values;

/// A small cap and the interpreter keep these long loops cheap; what is tested does not depend on
/// the backend.
class PendingLimit : public ::testing::Test {
 protected:
  void SetUp() override {
    saved_ = options();
    options().backend = "interpreter";
    options().max_pending = 64;
  }

  void TearDown() override { options() = saved_; }

 private:
  Options saved_;
};

TEST_F(PendingLimit, ALoopThatNeverReadsStaysBounded) {
  Tensor x = full({4}, 0.5);
  const PlanCacheStats before = plan_cache_stats();

  for (int i = 0; i < 100000; ++i) {
    x = exp(x * -1.0);
    ASSERT_LE(x.node()->pending_depth(), 4 * 64 + 2);
  }

  const PlanCacheStats after = plan_cache_stats();
  EXPECT_LE(after.misses - before.misses, 4);
  EXPECT_GE(after.hits - before.hits, 700);
  EXPECT_NEAR(x.to_vector<double>()[0], 0.567143, 1e-5);  // the fixed point of exp(-x)
}

TEST_F(PendingLimit, CutsOfAPeriodicProgramFallOnTheSameOp) {
  Tensor x = full({4}, 0.5), y = zeros({4});
  const PlanCacheStats before = plan_cache_stats();

  for (int i = 0; i < 20000; ++i) {  // seven ops a round: the cap is no multiple of it
    const Tensor h = tanh(x + y);
    x = h * 0.9 + y * 0.05;
    y = y + x * 0.01;
    y = y * 0.99;
  }

  const PlanCacheStats after = plan_cache_stats();
  EXPECT_LE(after.misses - before.misses, 6);
  EXPECT_GE(after.hits - before.hits, 400);
}

TEST_F(PendingLimit, ManyShortChainsAreNotCut) {
  std::vector<Tensor> all;
  const PlanCacheStats before = plan_cache_stats();

  for (int i = 0; i < 1000; ++i)
    all.push_back(full({2}, i) * 3 + 1);

  EXPECT_EQ(plan_cache_stats().captures, before.captures);
  expect_values(all[7], {2}, {22, 22});
}

TEST_F(PendingLimit, WhatOthersHoldIsComputedOnce) {
  std::vector<Tensor> kept;
  Tensor x = full({2}, 1.0);

  for (int i = 0; i < 300; ++i) {
    x = x + 1;
    kept.push_back(x);
  }

  // All but the last stretch have their values from the cuts.
  int pending = 0;
  for (const Tensor& each : kept)
    pending += each.is_materialized() ? 0 : 1;
  EXPECT_LE(pending, 4 * 64);
  expect_values(kept[10], {2}, {12, 12});
}

TEST_F(PendingLimit, ErrorsAtACutReachTheRecorder) {
  Tensor x = full({2}, 1.0);
  options().backend = "no-such-backend";

  EXPECT_THROW(
      {
        for (int i = 0; i < 1000; ++i)
          x = x + 1;
      },
      std::invalid_argument);

  options().backend = "interpreter";
  EXPECT_GT(x.to_vector<float>()[0], 1.0F);
}

}  // namespace
}  // namespace wick::detail
