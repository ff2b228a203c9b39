#include <cmath>

#include "expect_values.h"

namespace wick {
namespace {

using testing_support::expect_values;
using testing_support::kFloatTolerance;
using testing_support::kInf;
using testing_support::kNan;

TEST(Reduce, OverAllSomeAndNegativeAxes) {
  const Tensor x = tensor({{1, 2, 3}, {4, 5, 6}});

  expect_values(sum(x), {}, {21});
  expect_values(x.sum({0}), {3}, {5, 7, 9});
  expect_values(x.sum({-1}), {2}, {6, 15});
  expect_values(x.sum({1}, true), {2, 1}, {6, 15});
  expect_values(x.sum({1, 0}), {}, {21});
  expect_values(prod(x, {0}), {3}, {4, 10, 18});
  expect_values(max(x, {1}), {2}, {3, 6});
  expect_values(min(x, {0}), {3}, {1, 2, 3});
  expect_values(x.mean(), {}, {3.5});
  expect_values(mean(x, {0}), {3}, {2.5, 3.5, 4.5});
}

TEST(Reduce, Variance) {
  const Tensor x = tensor({{1, 2, 3, 6}, {5, 5, 5, 5}});

  expect_values(var(x, {1}), {2}, {14.0 / 3.0, 0}, kFloatTolerance);
  expect_values(var(x, {1}, true, 0), {2, 1}, {3.5, 0}, kFloatTolerance);
}

TEST(Reduce, IntegersSumInI64) {
  const Tensor x = full({3}, 100, DType::i8);
  const Tensor flags = tensor({1, 0, 1}) > 0;

  EXPECT_EQ(sum(x).dtype(), DType::i64);
  EXPECT_EQ(sum(x).item<int64_t>(), 300);
  EXPECT_EQ(prod(x).item<int64_t>(), 1000000);
  EXPECT_EQ(sum(flags).item<int64_t>(), 2);
}

TEST(Reduce, AnyAndAll) {
  const Tensor x = tensor({{0, 2}, {1, 1}});

  expect_values(any(x == 2, {1}), {2}, {1, 0});
  expect_values(all(x, {1}), {2}, {0, 1});
  EXPECT_TRUE(any(x).item<bool>());
  EXPECT_FALSE(all(x).item<bool>());
}

TEST(Reduce, PositionsOfExtremes) {
  const Tensor x = tensor({{3, 7, 7}, {9, -1, -1}});

  EXPECT_EQ(argmax(x, 1).dtype(), DType::i64);
  expect_values(argmax(x, 1), {2}, {1, 0});
  expect_values(argmin(x, -1, true), {2, 1}, {0, 1});
}

TEST(Reduce, SoftmaxIsStable) {
  const Tensor x = tensor({{1000, 1001, 1002}, {-5, -5, -5}});

  const double third = 1.0 / 3.0;
  expect_values(softmax(x, 1),
                {2, 3},
                {0.09003057, 0.24472847, 0.66524096, third, third, third},
                kFloatTolerance);
  expect_values(log_softmax(x, -1),
                {2, 3},
                {-2.40760596, -1.40760596, -0.40760596, -1.09861229, -1.09861229, -1.09861229},
                kFloatTolerance);
}

TEST(Reduce, LogSumExpHandlesInfinitiesAndNothing) {
  const auto inf = static_cast<float>(kInf);
  const Tensor x = tensor({{1000, 1000}, {-inf, -inf}, {inf, 0}, {NAN, 0}});

  expect_values(logsumexp(x, {1}), {4}, {1000.693147, -kInf, kInf, kNan}, 1e-3);
  expect_values(logsumexp(x, {1}, true), {4, 1}, {1000.693147, -kInf, kInf, kNan}, 1e-3);
  expect_values(logsumexp(zeros({2, 0}), {1}), {2}, {-kInf, -kInf});
}

TEST(Reduce, OfNothing) {
  const Tensor none = zeros({0, 3});

  expect_values(sum(none, {0}), {3}, {0, 0, 0});
  expect_values(prod(none, {0}), {3}, {1, 1, 1});
  EXPECT_TRUE(std::isnan(mean(none).item<float>()));
  expect_values(softmax(none, 0), {0, 3}, {});
}

}  // namespace
}  // namespace wick
