// Optimizers against scalar implementations of their formulas.

#include <cmath>
#include <functional>
#include <memory>
#include <vector>

#include "expect_error.h"
#include "expect_values.h"
#include <gtest/gtest.h>

#include "wick/autograd/autograd.h"
#include "wick/nn/nn.h"
#include "wick/tensor/plan_cache.h"

namespace wick::optim {
namespace {

using testing_support::error_of;
using testing_support::expect_values;

/// The loss is sum(c p^2) / 2, so the gradient is c p.
const std::vector<float> kCurvature = {1, 0.5, -2, 10};
const std::vector<float> kStart = {1, -2, 3, 0.25};

Tensor quadratic(const nn::Parameter& p) {
  return (from_vector(kCurvature, {4}) * p.value() * p.value()).sum() * 0.5;
}

/// One scalar's new value from its value and gradient in step t = 1, 2, ...; keeps its own state.
using ScalarRule = std::function<double(double value, double grad, int t)>;

struct Case {
  std::function<std::unique_ptr<Optimizer>(std::vector<nn::Parameter>)> make;
  std::function<ScalarRule()> make_rule;
};

void expect_follows(const Case& c) {
  nn::Parameter p(from_vector(kStart, {4}));
  const auto optimizer = c.make({p});
  std::vector<ScalarRule> rules;
  for (size_t i = 0; i < kStart.size(); ++i) {
    rules.push_back(c.make_rule());
  }
  std::vector<double> wanted(kStart.begin(), kStart.end());
  for (int t = 1; t <= 5; ++t) {
    optimizer->zero_grad();
    quadratic(p).backward();
    optimizer->step();
    for (size_t i = 0; i < wanted.size(); ++i) {
      wanted[i] = rules[i](wanted[i], kCurvature[i] * wanted[i], t);
    }
    SCOPED_TRACE(t);
    expect_values(p, {4}, wanted, 1e-5);  // five steps of some ten roundings
  }
}

Case sgd_case(SGDOptions o) {
  return {[o](auto parameters) { return std::make_unique<SGD>(std::move(parameters), o); },
          [o]() -> ScalarRule {
            return [o, v = 0.0](double p, double g, int) mutable {
              g += o.weight_decay * p;
              v = o.momentum * v + g;
              return p - o.lr * (o.nesterov ? g + o.momentum * v : v);
            };
          }};
}

double adam_move(const AdamOptions& o, double g, int t, double& m, double& v) {
  m = o.beta1 * m + (1 - o.beta1) * g;
  v = o.beta2 * v + (1 - o.beta2) * g * g;
  const double corrected_m = m / (1 - std::pow(o.beta1, t));
  const double corrected_v = v / (1 - std::pow(o.beta2, t));
  return o.lr * corrected_m / (std::sqrt(corrected_v) + o.eps);
}

TEST(Sgd, FollowsItsFormula) {
  expect_follows(sgd_case({.lr = 0.1}));
}

TEST(Sgd, FollowsItsFormulaWithMomentum) {
  expect_follows(sgd_case({.lr = 0.05, .momentum = 0.9}));
}

TEST(Sgd, FollowsItsFormulaWithNesterovAndDecay) {
  expect_follows(sgd_case({.lr = 0.05, .momentum = 0.8, .nesterov = true, .weight_decay = 0.1}));
  expect_follows(sgd_case({.lr = 0.05, .weight_decay = 0.1}));
}

TEST(Sgd, RefusesNesterovWithoutMomentum) {
  EXPECT_EQ(error_of([] { const SGD sgd({}, {.nesterov = true}); }),
            "sgd: nesterov needs a positive momentum, it is 0");
}

TEST(Adam, FollowsItsFormula) {
  const AdamOptions o = {.lr = 0.1, .beta1 = 0.8, .beta2 = 0.95, .eps = 1e-3, .weight_decay = 0.05};
  expect_follows({[o](auto parameters) { return std::make_unique<Adam>(std::move(parameters), o); },
                  [o]() -> ScalarRule {
                    return [o, m = 0.0, v = 0.0](double p, double g, int t) mutable {
                      return p - adam_move(o, g + o.weight_decay * p, t, m, v);
                    };
                  }});
}

TEST(AdamW, FollowsItsFormula) {
  const AdamWOptions o = {.lr = 0.1, .weight_decay = 0.3};
  expect_follows(
      {[o](auto parameters) { return std::make_unique<AdamW>(std::move(parameters), o); },
       [o]() -> ScalarRule {
         return [o, m = 0.0, v = 0.0](double p, double g, int t) mutable {
           const AdamOptions adam = {.lr = o.lr};
           return p * (1 - o.lr * o.weight_decay) - adam_move(adam, g, t, m, v);
         };
       }});
}

TEST(Optimizer, SkipsParametersWithoutGradient) {
  nn::Parameter used(tensor({1, 2}));
  nn::Parameter unused(tensor({3, 4}));
  SGD sgd({used, unused}, {.lr = 0.5, .momentum = 0.9});

  used.value().sum().backward();
  sgd.step();

  expect_values(used, {2}, {0.5, 1.5}, 0);
  expect_values(unused, {2}, {3, 4}, 0);
}

TEST(Optimizer, AccumulatesGradientsUntilZeroGrad) {
  nn::Parameter p(tensor({1}));
  SGD sgd({p}, {.lr = 1});

  (p.value() * 2).sum().backward();
  sgd.step();
  expect_values(p, {1}, {-1}, 0);
  (p.value() * 2).sum().backward();
  sgd.step();
  expect_values(p, {1}, {-5}, 0);

  sgd.zero_grad();
  EXPECT_FALSE(p.grad().defined());
  sgd.step();
  expect_values(p, {1}, {-5}, 0);
}

TEST(Optimizer, ComputesTheLossWithTheStep) {
  nn::Parameter p(tensor({1, 2}));
  SGD sgd({p}, {.lr = 0.1});
  const int64_t before = wick::detail::plan_cache_stats().captures;

  const Tensor loss = square(p).sum();
  loss.backward();
  sgd.step();

  EXPECT_EQ(wick::detail::plan_cache_stats().captures, before + 1);
  EXPECT_TRUE(loss.is_materialized());
  EXPECT_TRUE(p.value().is_materialized());
  EXPECT_TRUE(p.grad().is_materialized());
  EXPECT_FLOAT_EQ(loss.item<float>(), 5);
  EXPECT_EQ(wick::detail::plan_cache_stats().captures, before + 1);
}

TEST(Optimizer, TheLearningRateIsNoPartOfTheProgram) {
  nn::Parameter p(tensor({1, 2, 3, 4}));
  Adam adam({p}, {.lr = 0.1});
  const auto step = [&] {
    adam.zero_grad();
    quadratic(p).backward();
    adam.step();
  };
  step();
  step();
  const auto before = wick::detail::plan_cache_stats();

  // Among them numbers that programs may know as literals.
  for (const double lr : {0.1, 0.25, 1.0, 0.0, 2.0, 0.5, 1e-3}) {
    adam.set_lr(lr);
    step();
  }

  EXPECT_EQ(wick::detail::plan_cache_stats().captures, before.captures + 7);
  EXPECT_EQ(wick::detail::plan_cache_stats().misses, before.misses);
}

TEST(Optimizer, BiasCorrectionReachingOneMakesNoNewProgram) {
  nn::Parameter p(tensor({1, 2, 3, 4}));
  // In f64, 1 - 0.1^t is 1 from t = 16 on, where both corrections and the step size become equal.
  Adam adam({p}, {.lr = 1, .beta1 = 0.1, .beta2 = 0.1});
  const auto step = [&] {
    adam.zero_grad();
    quadratic(p).backward();
    adam.step();
  };
  step();
  step();
  const auto before = wick::detail::plan_cache_stats();

  for (int i = 0; i < 30; ++i) {
    step();
  }

  EXPECT_EQ(wick::detail::plan_cache_stats().misses, before.misses);
}

TEST(Optimizer, KeepsDoublePrecision) {
  nn::Parameter p(full({3}, 1.0, DType::f64));
  Adam adam({p}, {.lr = 1e-9});

  p.value().sum().backward();
  adam.step();

  EXPECT_EQ(p.type().dtype, DType::f64);
  EXPECT_NEAR(p.value().to_vector<double>()[0], 1 - 1e-9, 1e-15);
}

}  // namespace
}  // namespace wick::optim
