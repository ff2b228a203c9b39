#include "wick/nn/meters.h"

#include <cmath>
#include <vector>

#include "expect_error.h"
#include <gtest/gtest.h>

#include "wick/nn/nn.h"
#include "wick/tensor/plan_cache.h"

namespace wick::nn {
namespace {

using testing_support::error_of;

Tensor labels_of(const std::vector<int64_t>& labels) {
  return from_vector(labels, {static_cast<int64_t>(labels.size())});
}

TEST(AverageMeter, WeighsNumbersAndTensors) {
  AverageMeter meter;
  EXPECT_TRUE(std::isnan(meter.value()));

  meter.add(1.0, 3);
  meter.add(scalar(5) + 4, 1);
  EXPECT_DOUBLE_EQ(meter.value(), 3);

  meter.reset();
  meter.add(7.0);
  EXPECT_DOUBLE_EQ(meter.value(), 7);
}

TEST(AverageMeter, RefusesSeveralElements) {
  AverageMeter meter;

  EXPECT_EQ(error_of([&] { meter.add(ones({2})); }), "average_meter: f32[2] is no scalar");
}

TEST(AverageMeter, ReadsPendingLossesLater) {
  AverageMeter meter;
  Parameter p(tensor({3}));
  const int64_t before = wick::detail::plan_cache_stats().captures;

  for (int i = 0; i < 10; ++i) {
    meter.add((p.value() * 2).sum());
  }
  EXPECT_EQ(wick::detail::plan_cache_stats().captures, before);

  EXPECT_DOUBLE_EQ(meter.value(), 6);
  EXPECT_EQ(wick::detail::plan_cache_stats().captures, before + 1);
}

TEST(AccuracyMeter, CountsRowsWhoseLargestScoreIsAtTheLabel) {
  AccuracyMeter meter;
  EXPECT_TRUE(std::isnan(meter.value()));
  EXPECT_EQ(meter.num_correct(), 0);

  meter.add(tensor({{1, 2, 0}, {5, 2, 0}, {0, 1, 2}}), labels_of({1, 1, 2}));
  meter.add(tensor({{1, 2, 0}}), labels_of({0}));

  EXPECT_EQ(meter.num_correct(), 2);
  EXPECT_EQ(meter.num_rows(), 4);
  EXPECT_DOUBLE_EQ(meter.value(), 0.5);
  meter.reset();
  EXPECT_EQ(meter.num_rows(), 0);
}

TEST(AccuracyMeter, CountsWithinTheTrainingStep) {
  manual_seed(1);
  Linear layer(4, 3);
  optim::SGD sgd(layer.parameters(), {.lr = 0.1});
  AccuracyMeter meter;
  const Tensor x = randn({8, 4});
  materialize(x);
  const Tensor y = labels_of({0, 1, 2, 0, 1, 2, 0, 1});
  std::vector<int64_t> misses;

  for (int i = 0; i < 5; ++i) {
    const int64_t before = wick::detail::plan_cache_stats().captures;
    const Tensor scores = layer(x);
    cross_entropy(scores, y).backward();
    meter.add(scores, y);
    sgd.step();
    sgd.zero_grad();
    EXPECT_EQ(wick::detail::plan_cache_stats().captures, before + 1);
    misses.push_back(wick::detail::plan_cache_stats().misses);
  }

  EXPECT_EQ(misses[4], misses[1]);
  EXPECT_EQ(meter.num_rows(), 40);
  EXPECT_EQ(wick::detail::plan_cache_stats().misses, misses[4]);
}

TEST(AccuracyMeter, RefusesTypesThatDoNotFit) {
  AccuracyMeter meter;

  EXPECT_EQ(error_of([&] { meter.add(ones({4, 3}), labels_of({1, 2})); }),
            "accuracy_meter: scores must be [n,c] and labels integers [n]: scores f32[4,3], labels "
            "i64[2]");
}

}  // namespace
}  // namespace wick::nn
