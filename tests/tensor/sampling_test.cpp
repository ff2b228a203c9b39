#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>

#include "expect_values.h"

#include "wick/runtime/stats.h"
#include "wick/tensor/random_sampling.h"

namespace wick {
namespace {

/// Squared deviations over expectations, for counts whose expectations are `shares` of their sum.
double chi_square(const std::vector<double>& counts, const std::vector<double>& shares) {
  const double total = std::accumulate(counts.begin(), counts.end(), 0.0);
  double sum = 0;
  for (size_t i = 0; i < counts.size(); ++i)
    sum += std::pow(counts[i] - total * shares[i], 2) / (total * shares[i]);
  return sum;
}

/// A chi-square number of so many degrees is above this once in some ten thousand times.
double limit(size_t degrees) {
  const auto d = static_cast<double>(degrees);
  return d + 4 * std::sqrt(2 * d) + 8;
}

std::vector<double> counts_of(const std::vector<int64_t>& values, size_t categories) {
  std::vector<double> counts(categories, 0);
  for (const int64_t value : values)
    ++counts.at(static_cast<size_t>(value));
  return counts;
}

TEST(Sampling, CategoricalFollowsTheSoftmax) {
  Generator generator(3);
  const std::vector<double> shares = {0.5, 0.3, 0.15, 0.05};
  const Tensor logits = log(tensor({0.5, 0.3, 0.15, 0.05})) + 7;  // need not be normalized

  for (const DType dtype : {DType::f32, DType::f64, DType::f16}) {
    const Tensor many = broadcast_to(logits.to(dtype), {20'000, 4});
    const Tensor drawn = categorical(many, -1, generator);
    const Tensor along_rows = categorical(many.transpose(0, 1), 0, generator);

    EXPECT_EQ(drawn.type(), (Type{DType::i64, {20'000}}));
    EXPECT_LT(chi_square(counts_of(drawn.to_vector<int64_t>(), 4), shares), limit(3));
    EXPECT_LT(chi_square(counts_of(along_rows.to_vector<int64_t>(), 4), shares), limit(3));
  }
}

TEST(Sampling, CategoricalNeverChoosesTheImpossible) {
  Generator generator(4);
  const Tensor logits = broadcast_to(tensor({-INFINITY, 0, -INFINITY}), {5000, 3});

  EXPECT_EQ(min(categorical(logits, -1, generator)).item<int>(), 1);
  EXPECT_EQ(max(categorical(logits, -1, generator)).item<int>(), 1);
}

TEST(Sampling, MultinomialWithReplacement) {
  Generator generator(5);
  const Tensor weights = tensor({{1, 2, 0, 5}, {3, 1, 1, 0}});

  const Tensor drawn = multinomial(weights, 20'000, {.replacement = true}, generator);

  ASSERT_EQ(drawn.shape(), (Shape{2, 20'000}));
  const auto first = counts_of(select(drawn, 0, 0).to_vector<int64_t>(), 4);
  const auto second = counts_of(select(drawn, 0, 1).to_vector<int64_t>(), 4);
  EXPECT_EQ(first[2], 0);
  EXPECT_EQ(second[3], 0);
  EXPECT_LT(chi_square({first[0], first[1], first[3]}, {0.125, 0.25, 0.625}), limit(2));
  EXPECT_LT(chi_square({second[0], second[1], second[2]}, {0.6, 0.2, 0.2}), limit(2));
}

TEST(Sampling, NoWeightAtAllGivesACategoryStill) {
  Generator generator(5);

  const Tensor drawn = multinomial(zeros({2, 3}), 50, {.replacement = true}, generator);

  EXPECT_GE(min(drawn).item<int>(), 0);
  EXPECT_LT(max(drawn).item<int>(), 3);
}

/// Pairs are drawn as one after the other: the second by weight among those that are left.
TEST(Sampling, MultinomialWithoutReplacement) {
  Generator generator(6);
  const std::vector<double> weights = {1, 2, 0, 5};
  const Tensor many = broadcast_to(tensor({1, 2, 0, 5}), {20'000, 4});

  const std::vector<int64_t> drawn = multinomial(many, 2, {}, generator).to_vector<int64_t>();

  std::vector<double> counts;
  std::vector<double> shares;
  for (const size_t a : {0, 1, 3}) {
    for (const size_t b : {0, 1, 3}) {
      if (a == b) continue;
      double count = 0;
      for (size_t i = 0; i < drawn.size(); i += 2)
        count += static_cast<size_t>(drawn[i]) == a && static_cast<size_t>(drawn[i + 1]) == b;
      counts.push_back(count);
      shares.push_back(weights[a] / 8 * weights[b] / (8 - weights[a]));
    }
  }
  EXPECT_EQ(std::accumulate(counts.begin(), counts.end(), 0.0), 20'000) << "all pairs differ";
  EXPECT_LT(chi_square(counts, shares), limit(5));
  // All of them: the impossible one comes last.
  const Tensor all = multinomial(many, 4, {}, generator);
  EXPECT_EQ(min(select(all, 1, 3)).item<int>(), 2);
}

TEST(Sampling, PermutationsAreUniform) {
  Generator generator(7);
  std::map<std::vector<int64_t>, double> seen;
  for (int i = 0; i < 2400; ++i)
    ++seen[randperm(4, generator).to_vector<int64_t>()];

  ASSERT_EQ(seen.size(), 24U);
  std::vector<double> counts;
  for (const auto& [order, count] : seen)
    counts.push_back(count);
  EXPECT_LT(chi_square(counts, std::vector<double>(24, 1.0 / 24)), limit(23));
}

TEST(Sampling, ShuffleMovesWholeSlices) {
  Generator generator(8);
  const Tensor x = arange(3000).reshape({1000, 3});

  const Tensor y = shuffle(x, 0, generator);

  EXPECT_NE(y.to_vector<int64_t>(), x.to_vector<int64_t>());
  std::vector<int64_t> rows = select(y, 1, 0).to_vector<int64_t>();
  EXPECT_EQ(select(y, 1, 2).to_vector<int64_t>(), (select(y, 1, 0) + 2).to_vector<int64_t>());
  std::ranges::sort(rows);
  EXPECT_EQ(rows, (arange(1000) * 3).to_vector<int64_t>());
  EXPECT_EQ(shuffle(zeros({0, 2}), 0, generator).shape(), (Shape{0, 2}));
}

struct Bounds {
  double mean;
  double stddev;
  double low;
  double high;
};

class TruncatedNormal : public ::testing::TestWithParam<Bounds> {};

double normal_cdf(double z) {
  return 0.5 * std::erfc(-z * std::sqrt(0.5));
}

/// Kolmogorov and Smirnov, as in distributions_test.cpp.
TEST_P(TruncatedNormal, HasItsCdfAndKeepsItsBounds) {
  const auto [mean, stddev, low, high] = GetParam();
  Generator generator(9);
  const TruncatedNormalOptions options{
      .mean = mean, .stddev = stddev, .low = low, .high = high, .dtype = DType::f64};

  std::vector<double> values = truncated_normal({50'000}, options, generator).to_vector<double>();

  std::ranges::sort(values);
  EXPECT_GE(values.front(), low);
  EXPECT_LE(values.back(), high);
  // Of the side where probabilities are small: differences of those near 1 say nothing.
  const bool upper = (low + high) / 2 > mean;
  const auto beyond = [&](double x) { return normal_cdf((upper ? mean - x : x - mean) / stddev); };
  const double none = beyond(upper ? high : low);
  const double all = beyond(upper ? low : high);
  double distance = 0;
  for (size_t i = 0; i < values.size(); ++i) {
    const double share = (beyond(values[i]) - none) / (all - none);
    const double rank = (static_cast<double>(i) + 0.5) / static_cast<double>(values.size());
    distance = std::max(distance, std::fabs((upper ? 1 - share : share) - rank));
  }
  EXPECT_LT(distance * std::sqrt(50'000.0), 1.95);
}

INSTANTIATE_TEST_SUITE_P(All,
                         TruncatedNormal,
                         ::testing::Values(Bounds{0, 1, -2, 2},
                                           Bounds{3, 0.5, 2.9, 3.3},
                                           Bounds{0, 1, 5, INFINITY},
                                           Bounds{0, 1, -INFINITY, -30},
                                           Bounds{-1, 2, -9, 30},
                                           Bounds{0, 1, 0, 0.001}));

TEST(Sampling, BoundsAndMeansCompileNothing) {
  Generator generator(1);
  const auto draw = [&](double mean, double low) {
    materialize(truncated_normal(
        {10}, {.mean = mean, .stddev = 1.5, .low = low, .high = low + 5}, generator));
  };
  draw(0.1, -1.25);
  const int64_t plans = runtime::runtime_stats().plans_built;
  draw(7.5, 3.75);
  draw(-7.5, -3.75);
  EXPECT_EQ(runtime::runtime_stats().plans_built, plans);
}

}  // namespace
}  // namespace wick
