// Whole training loops.

#include "digit_data.h"
#include <gtest/gtest.h>

#include "wick/autograd/autograd.h"
#include "wick/nn/nn.h"
#include "wick/passes/options.h"
#include "wick/tensor/plan_cache.h"

namespace wick::nn {
namespace {

using wick::detail::plan_cache_stats;
using wick::detail::PlanCacheStats;

Sequential make_mlp() {
  return Sequential(Flatten(), Linear(784, 128), ReLU(), Linear(128, 10));
}

/// Random digits-like input that is computed already.
struct Batch {
  Tensor images;
  Tensor labels;

  explicit Batch(int64_t count)
      : images(randn({count, 1, 28, 28})),
        labels(randint(0, 10, {count})) {
    materialize(images, labels);
  }
};

void train_step(Module& net, optim::Optimizer& optimizer, const Batch& batch) {
  optimizer.zero_grad();
  cross_entropy(net(batch.images), batch.labels).backward();
  optimizer.step();
}

TEST(Training, AnMlpLearnsDrawnDigits) {
  manual_seed(1);
  const auto digits = mnist::drawn_digits({.train = 4000, .test = 500}, 1);
  Sequential net = make_mlp();
  optim::Adam adam(net.parameters(), {.lr = 2e-3});

  for (uint64_t epoch = 0; epoch < 6; ++epoch) {
    const auto batches = mnist::normalised_batches(digits.train.shuffle(epoch), 50);
    for (const data::Sample& batch : batches.prefetch(1, 4)) {
      adam.zero_grad();
      cross_entropy(net(batch[0].to_tensor()), batch[1].to_tensor()).backward();
      adam.step();
    }
  }
  net.eval();
  AccuracyMeter accuracy;
  const NoGradGuard no_grad;
  for (const data::Sample& batch : mnist::normalised_batches(digits.test, 100)) {
    accuracy.add(net(batch[0].to_tensor()), batch[1].to_tensor());
  }

  EXPECT_EQ(accuracy.num_rows(), 500);
  EXPECT_GT(accuracy.value(), 0.9);
}

TEST(Training, AStepIsOnePlan) {
  manual_seed(2);
  Sequential net(Linear(784, 1024), ReLU(), Linear(1024, 1024), ReLU(), Linear(1024, 10));
  optim::SGD sgd(net.parameters(), {.lr = 0.01});
  const Tensor x = randn({16, 784});
  const Tensor y = randint(0, 10, {16});
  materialize(x, y);

  const PlanCacheStats before = plan_cache_stats();
  const Tensor loss = cross_entropy(net(x), y);
  loss.backward();
  sgd.step();
  const PlanCacheStats after = plan_cache_stats();

  EXPECT_EQ(after.captures, before.captures + 1);
  EXPECT_EQ(after.misses, before.misses + 1);
  EXPECT_TRUE(loss.is_materialized());
}

TEST(Training, AStepUpdatesInPlace) {
  if (options().backend == "interpreter") GTEST_SKIP() << "about the memory of compiled programs";
  manual_seed(6);
  Sequential net(Linear(784, 512), ReLU(), Linear(512, 10));
  optim::Adam adam(net.parameters());
  const Tensor x = randn({16, 784});
  const Tensor y = randint(0, 10, {16});
  materialize(x, y);

  for (int step = 0; step < 2; ++step) {
    adam.zero_grad();
    cross_entropy(net(x), y).backward();
    adam.step();
  }

  // The gradients, which stay readable, and little else: new parameters and moments take the
  // memory of the old ones.
  const int64_t parameter_bytes = net.num_parameters() * 4;
  EXPECT_LT(wick::detail::last_program_summary().planned_peak_bytes, parameter_bytes * 5 / 4);
}

/// Ten steps after the first are its program.
void expect_one_program(Module& net, optim::Optimizer& optimizer) {
  const Batch batch(16);
  train_step(net, optimizer, batch);
  const PlanCacheStats before = plan_cache_stats();

  for (int step = 0; step < 10; ++step) {
    optimizer.set_lr(0.01 / (step + 1));
    train_step(net, optimizer, batch);
  }

  const PlanCacheStats after = plan_cache_stats();
  EXPECT_EQ(after.captures, before.captures + 10);
  EXPECT_EQ(after.misses, before.misses);
}

TEST(Training, NoPlanIsNewFromTheSecondStepOn) {
  manual_seed(3);
  Sequential net = make_mlp();
  optim::SGD sgd(net.parameters(), {.lr = 0.01, .momentum = 0.9});
  expect_one_program(net, sgd);
}

TEST(Training, NoPlanIsNewFromTheSecondStepOnWhereStateBeginsEqual) {
  manual_seed(3);
  Sequential net(Conv2d(1, 4, {5, 5}),
                 BatchNorm2d(4),
                 ReLU(),
                 Conv2d(4, 4, {5, 5}),
                 BatchNorm2d(4),
                 Flatten(),
                 LayerNorm({1600}),
                 Linear(1600, 10));
  optim::Adam adam(net.parameters());
  expect_one_program(net, adam);
}

TEST(Training, AConvolutionalNetworkFitsABatch) {
  manual_seed(4);
  Sequential net(Conv2d(1, 4, {5, 5}, {.padding = {2, 2}}),
                 BatchNorm2d(4),
                 ReLU(),
                 MaxPool2d(2),
                 Conv2d(4, 8, {5, 5}, {.padding = {2, 2}}),
                 ReLU(),
                 AvgPool2d(2),
                 Flatten(),
                 Linear(8 * 7 * 7, 32),
                 ReLU(),
                 Dropout(0.1),
                 Linear(32, 10),
                 LogSoftmax());
  optim::Adam adam(net.parameters(), {.lr = 3e-3});
  const Batch batch(8);
  AverageMeter last;
  PlanCacheStats third;

  for (int step = 0; step < 60; ++step) {
    adam.zero_grad();
    const Tensor loss = nll_loss(net(batch.images), batch.labels);
    loss.backward();
    adam.step();
    if (step == 1) third = plan_cache_stats();
    if (step >= 55) last.add(loss);
  }

  EXPECT_EQ(plan_cache_stats().misses, third.misses);
  EXPECT_EQ(plan_cache_stats().captures, third.captures + 58);
  EXPECT_LT(last.value(), 0.5);  // chance is 2.3
}

TEST(Training, ALoopThatReadsNothingStaysBounded) {
  manual_seed(5);
  Sequential net(Linear(4, 8), Tanh(), Linear(8, 1));
  optim::SGD sgd(net.parameters(), {.lr = 0.01});
  const Tensor x = randn({16, 4});
  const Tensor y = randn({16, 1});
  materialize(x, y);
  AverageMeter losses;
  const int64_t before = plan_cache_stats().misses;

  for (int step = 0; step < 2000; ++step) {
    sgd.zero_grad();
    const Tensor loss = mse_loss(net(x), y);
    loss.backward();
    losses.add(loss);
    sgd.step();
  }

  EXPECT_LE(plan_cache_stats().misses, before + 2);
  EXPECT_GT(losses.value(), 0);
}

}  // namespace
}  // namespace wick::nn
