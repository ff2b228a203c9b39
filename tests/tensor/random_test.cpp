#include <algorithm>
#include <cmath>
#include <iterator>

#include "expect_values.h"

namespace wick {
namespace {

std::vector<float> drawn(uint64_t seed, int64_t count) {
  manual_seed(seed);
  return rand({count}).to_vector<float>();
}

TEST(Random, TheSeedDecides) {
  EXPECT_EQ(drawn(7, 100), drawn(7, 100));
  EXPECT_NE(drawn(7, 100), drawn(8, 100));
}

TEST(Random, EachCallContinuesTheStream) {
  manual_seed(3);
  const std::vector<float> first = rand({64}).to_vector<float>();
  const std::vector<float> second = rand({64}).to_vector<float>();

  EXPECT_NE(first, second);
}

/// Blocks of 64 elements use whole counter groups, so drawing in parts gives the same numbers.
template <typename Draw>
void expect_same_in_parts(const Draw& draw) {
  manual_seed(11);
  const std::vector<double> whole = draw({192}).template to_vector<double>();
  manual_seed(11);
  std::vector<double> parts = draw({64}).template to_vector<double>();
  std::ranges::copy(draw({2, 64}).template to_vector<double>(), std::back_inserter(parts));

  EXPECT_EQ(whole, parts);
}

TEST(Random, DoesNotDependOnThePartition) {
  expect_same_in_parts([](Shape shape) { return rand(shape); });
  expect_same_in_parts([](Shape shape) { return rand(shape, DType::f64); });
  expect_same_in_parts([](Shape shape) { return randn(shape); });
  expect_same_in_parts([](Shape shape) { return randn(shape, DType::f64); });
  expect_same_in_parts([](Shape shape) { return randint(0, 1000, shape); });
}

TEST(Random, DoesNotDependOnWhenItIsComputed) {
  manual_seed(9);
  const Tensor a = rand({10});
  const Tensor b = rand({10});
  const std::vector<float> b_first = b.to_vector<float>();
  const std::vector<float> a_second = a.to_vector<float>();

  manual_seed(9);
  EXPECT_EQ(rand({10}).to_vector<float>(), a_second);
  EXPECT_EQ(rand({10}).to_vector<float>(), b_first);
}

/// Mean and variance over n draws lie within five standard errors.
void expect_moments(const Tensor& x, double mean, double variance) {
  const auto n = static_cast<double>(x.numel());
  const Tensor wide = x.to(DType::f64);
  EXPECT_NEAR(wide.mean().item<double>(), mean, 5 * std::sqrt(variance / n));
  EXPECT_NEAR(var(wide).item<double>(), variance, 5 * variance * std::sqrt(2 / n));
}

TEST(Random, Moments) {
  manual_seed(1);
  expect_moments(rand({20000}), 0.5, 1.0 / 12.0);
  expect_moments(rand({20000}, DType::f64), 0.5, 1.0 / 12.0);
  expect_moments(randn({20000}), 0, 1);
  expect_moments(randn({20000}, DType::f64), 0, 1);
  expect_moments(randint(-3, 4, {20000}), 0, 4);
}

TEST(Random, Ranges) {
  manual_seed(2);
  const std::vector<float> u = rand({5000}).to_vector<float>();
  const std::vector<int> i = randint(5, 8, {500}, DType::i32).to_vector<int>();

  EXPECT_GE(*std::ranges::min_element(u), 0);
  EXPECT_LT(*std::ranges::max_element(u), 1);
  EXPECT_EQ(*std::ranges::min_element(i), 5);
  EXPECT_EQ(*std::ranges::max_element(i), 7);
}

}  // namespace
}  // namespace wick
