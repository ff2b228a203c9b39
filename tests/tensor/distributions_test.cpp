// Random numbers against what they should be distributed as, at fixed seeds.

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>

#include "expect_values.h"
#include <fmt/format.h>

namespace wick {
namespace {

constexpr int64_t kDraws = 100'000;

/// Largest distance between the empirical distribution and `cdf`, times sqrt(n) (Kolmogorov and
/// Smirnov): above 1.95 once in a thousand samples.
double ks_statistic(std::vector<double> values, const std::function<double(double)>& cdf) {
  std::ranges::sort(values);
  const auto n = static_cast<double>(values.size());
  double distance = 0;
  for (size_t i = 0; i < values.size(); ++i) {
    const double expected = cdf(values[i]);
    distance = std::max({distance,
                         std::fabs(expected - static_cast<double>(i) / n),
                         std::fabs(static_cast<double>(i + 1) / n - expected)});
  }
  return distance * std::sqrt(n);
}

constexpr double kKsLimit = 1.95;

struct Moments {
  double mean = 0;
  double variance = 0;
  double skew = 0;
};

Moments moments_of(const std::vector<double>& values) {
  const auto n = static_cast<double>(values.size());
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / n;
  double square = 0;
  double cube = 0;
  for (const double value : values) {
    square += std::pow(value - mean, 2);
    cube += std::pow(value - mean, 3);
  }
  return {mean, square / n, cube / n / std::pow(square / n, 1.5)};
}

struct Continuous {
  std::string name;
  std::function<Tensor(DType, Generator&)> draw;
  std::function<double(double)> cdf;
  Moments moments;
  double skew_tolerance;  // the skew's standard error rises with the sixth moment
};

double normal_cdf(double z) {
  return 0.5 * std::erfc(-z * std::sqrt(0.5));
}

constexpr double kEuler = 0.57721566490153286;

const std::vector<Continuous>& continuous_cases() {
  static const std::vector<Continuous> cases = {
      {"rand",
       [](DType dtype, Generator& g) { return rand({kDraws}, dtype, g); },
       [](double x) { return std::clamp(x, 0.0, 1.0); },
       {0.5, 1.0 / 12, 0},
       0.03},
      {"uniform",
       [](DType dtype, Generator& g) { return uniform(-3, 5, {kDraws}, dtype, g); },
       [](double x) { return std::clamp((x + 3) / 8, 0.0, 1.0); },
       {1, 64.0 / 12, 0},
       0.03},
      {"randn",
       [](DType dtype, Generator& g) { return randn({kDraws}, dtype, g); },
       normal_cdf,
       {0, 1, 0},
       0.04},
      {"normal",
       [](DType dtype, Generator& g) { return normal(10, 0.5, {kDraws}, dtype, g); },
       [](double x) { return normal_cdf((x - 10) / 0.5); },
       {10, 0.25, 0},
       0.04},
      {"exponential",
       [](DType dtype, Generator& g) { return exponential(4, {kDraws}, dtype, g); },
       [](double x) { return 1 - std::exp(-4 * x); },
       {0.25, 1.0 / 16, 2},
       0.15},
      {"gumbel",
       [](DType dtype, Generator& g) { return gumbel(2, 3, {kDraws}, dtype, g); },
       [](double x) { return std::exp(-std::exp(-(x - 2) / 3)); },
       {2 + 3 * kEuler, 9 * M_PI * M_PI / 6, 1.1395470994046486},
       0.12},
  };
  return cases;
}

class ContinuousDistribution : public ::testing::TestWithParam<std::tuple<size_t, DType>> {};

TEST_P(ContinuousDistribution, HasItsCdfAndMoments) {
  const auto [index, dtype] = GetParam();
  const Continuous& c = continuous_cases()[index];
  Generator generator(index + 1);

  const std::vector<double> values = c.draw(dtype, generator).to_vector<double>();

  EXPECT_LT(ks_statistic(values, c.cdf), kKsLimit) << c.name;
  const Moments got = moments_of(values);
  const auto n = static_cast<double>(kDraws);
  // Five standard errors; that of the variance is largest, sqrt(8 / n), for the exponential.
  EXPECT_NEAR(got.mean, c.moments.mean, 5 * std::sqrt(c.moments.variance / n)) << c.name;
  EXPECT_NEAR(got.variance, c.moments.variance, 5 * c.moments.variance * std::sqrt(8 / n))
      << c.name;
  EXPECT_NEAR(got.skew, c.moments.skew, c.skew_tolerance) << c.name;
}

INSTANTIATE_TEST_SUITE_P(All,
                         ContinuousDistribution,
                         ::testing::Combine(::testing::Range<size_t>(0, 6),
                                            ::testing::Values(DType::f32, DType::f64)),
                         [](const auto& info) {
                           return continuous_cases()[std::get<0>(info.param)].name + "_" +
                                  std::string(to_string(std::get<1>(info.param)));
                         });

/// Halves fall on few values: what they are rounded from is tested above.
TEST(Distributions, NarrowFloatsHaveTheMomentsAndStayInRange) {
  Generator generator(5);
  for (const DType dtype : {DType::f16, DType::bf16}) {
    const std::vector<double> u = rand({kDraws}, dtype, generator).to_vector<double>();
    const std::vector<double> z = randn({kDraws}, dtype, generator).to_vector<double>();

    EXPECT_LT(*std::ranges::max_element(u), 1) << to_string(dtype);
    EXPECT_EQ(*std::ranges::min_element(u), 0) << to_string(dtype);
    EXPECT_NEAR(moments_of(u).mean, 0.5, dtype == DType::f16 ? 0.005 : 0.01);
    EXPECT_NEAR(moments_of(z).mean, 0, 0.016);
    EXPECT_NEAR(moments_of(z).variance, 1, 0.03);
  }
}

/// Deep in the tails f32 has values as well: a uniform f32 next to 1 would have none.
TEST(Distributions, TailsAreFine) {
  Generator generator(6);
  const std::vector<double> e =
      exponential(1, {4'000'000}, DType::f32, generator).to_vector<double>();
  const std::vector<double> z = randn({4'000'000}, DType::f32, generator).to_vector<double>();

  const auto below = [](const std::vector<double>& values, double limit) {
    return std::ranges::count_if(values, [limit](double x) { return x < limit; });
  };
  // 40, 40 and 127 are expected: five standard deviations of a Poisson number.
  EXPECT_NEAR(static_cast<double>(below(e, 1e-5)), 40, 32);
  EXPECT_NEAR(static_cast<double>(e.size()) - static_cast<double>(below(e, std::log(1e5))), 40, 32);
  EXPECT_NEAR(static_cast<double>(below(z, -4)), 127, 57);
  EXPECT_GT(*std::ranges::min_element(e), 0);
}

/// Squared deviations of counts over what is expected, in standard deviations above the mean that
/// this has (Pearson; normal for many degrees of freedom).
double chi_square_excess(const std::vector<double>& counts, const std::vector<double>& expected) {
  double statistic = 0;
  for (size_t i = 0; i < counts.size(); ++i)
    statistic += std::pow(counts[i] - expected[i], 2) / expected[i];
  const auto freedom = static_cast<double>(counts.size() - 1);
  return (statistic - freedom) / std::sqrt(2 * freedom);
}

struct Range {
  int64_t low;
  int64_t high;
};

class IntegerDistribution : public ::testing::TestWithParam<Range> {};

TEST_P(IntegerDistribution, IsUniformOverItsRange) {
  const auto [low, high] = GetParam();
  Generator generator(9);

  const Tensor draws = randint(low, high, {kDraws}, DType::i64, generator);

  // Equal parts of the range; the last bits matter where it is small.
  const double range =
      static_cast<double>(static_cast<uint64_t>(high) - static_cast<uint64_t>(low));
  const auto bins = static_cast<size_t>(std::min(range, 500.0));
  std::vector<double> counts(bins, 0);
  std::vector<double> parities(2, 0);
  for (const int64_t value : draws.to_vector<int64_t>()) {
    ASSERT_GE(value, low);
    ASSERT_LT(value, high);
    const double place =
        static_cast<double>(static_cast<uint64_t>(value) - static_cast<uint64_t>(low));
    ++counts[std::min(bins - 1, static_cast<size_t>(place * static_cast<double>(bins) / range))];
    ++parities[static_cast<size_t>(value & 1)];
  }
  const auto n = static_cast<double>(kDraws);
  EXPECT_LT(chi_square_excess(counts, std::vector<double>(bins, n / static_cast<double>(bins))), 5);
  if (range > 1000) {
    EXPECT_LT(chi_square_excess(parities, {n / 2, n / 2}), 12);  // chi-square of one degree
  }
}

INSTANTIATE_TEST_SUITE_P(
    All,
    IntegerDistribution,
    ::testing::Values(Range{0, 2},
                      Range{-3, 4},
                      Range{0, 100},
                      Range{0, int64_t{1} << 31},
                      Range{-5, (int64_t{1} << 31) + 7},
                      Range{0, (int64_t{1} << 62) / 2 * 3},  // a third would come twice as often
                      Range{INT64_MIN, INT64_MAX}),
    [](const auto& info) { return fmt::format("range{}", info.index); });

TEST(Distributions, IntegersFillTheirDtype) {
  Generator generator(2);
  const Tensor bytes = randint(-128, 128, {20'000}, DType::i8, generator);
  const Tensor flags = randint(0, 2, {100}, DType::bool_, generator);

  EXPECT_EQ(min(bytes).item<int>(), -128);
  EXPECT_EQ(max(bytes).item<int>(), 127);
  EXPECT_NEAR(flags.to(DType::f32).mean().item<double>(), 0.5, 0.25);
}

TEST(Distributions, BernoulliHasItsProbability) {
  Generator generator(4);
  for (const double p : {0.0, 1e-3, 0.3, 0.5, 0.999, 1.0}) {
    const double share = bernoulli(p, {kDraws}, DType::f32, generator).mean().item<double>();
    EXPECT_NEAR(share, p, 5 * std::sqrt(p * (1 - p) / kDraws)) << p;
  }
  const Tensor p = tensor({0, 0.25, 1, NAN, -1, 2}).reshape({6, 1});
  const Tensor many = broadcast_to(p, {6, kDraws});
  const std::vector<double> shares = mean(bernoulli(many, generator), {1}).to_vector<double>();
  const std::vector<double> expected = {0, 0.25, 1, 0, 0, 1};
  for (size_t i = 0; i < shares.size(); ++i)
    EXPECT_NEAR(shares[i], expected[i], 5 * std::sqrt(0.25 * 0.75 / kDraws)) << i;
}

double correlation(const std::vector<double>& a, const std::vector<double>& b) {
  const Moments of_a = moments_of(a);
  const Moments of_b = moments_of(b);
  double sum = 0;
  for (size_t i = 0; i < a.size(); ++i)
    sum += (a[i] - of_a.mean) * (b[i] - of_b.mean);
  return sum / static_cast<double>(a.size()) / std::sqrt(of_a.variance * of_b.variance);
}

void expect_independent(const std::vector<double>& a,
                        const std::vector<double>& b,
                        const std::string& what) {
  const double limit = 4.5 / std::sqrt(static_cast<double>(a.size()));
  EXPECT_LT(std::fabs(correlation(a, b)), limit) << what;
  std::vector<double> squares_a(a);
  std::vector<double> squares_b(b);
  for (double& x : squares_a)
    x = x * x;
  for (double& x : squares_b)
    x = x * x;
  EXPECT_LT(std::fabs(correlation(squares_a, squares_b)), limit) << what << ", squares";
}

std::vector<double> normals(Generator& generator, int64_t count = kDraws) {
  return randn({count}, DType::f32, generator).to_vector<double>();
}

TEST(Distributions, StreamsAreIndependent) {
  Generator parent(0);
  std::map<std::string, std::vector<double>> streams;
  for (const uint64_t seed : {1ULL, 2ULL, 1ULL << 32U, ~0ULL}) {
    Generator other(seed);
    streams[fmt::format("seed {}", seed)] = normals(other);
  }
  for (Generator& fork : parent.split(3)) {
    streams[fmt::format("fork {}", streams.size())] = normals(fork);
    Generator grandchild = fork.fork();
    streams[fmt::format("fork of a fork {}", streams.size())] = normals(grandchild);
  }
  streams["parent"] = normals(parent);
  streams["parent, later"] = normals(parent);

  for (auto a = streams.begin(); a != streams.end(); ++a) {
    for (auto b = std::next(a); b != streams.end(); ++b)
      expect_independent(a->second, b->second, a->first + " and " + b->first);
  }
}

/// 16 elements share a counter's position in its group, 64 a group: neighbours at such distances
/// must know nothing of each other either.
TEST(Distributions, ElementsOfAStreamAreIndependent) {
  Generator generator(12);
  const std::vector<double> all = normals(generator, kDraws + 1024);
  const std::vector<double> head(all.begin(), all.begin() + kDraws);
  for (const ptrdiff_t lag : {1, 2, 15, 16, 17, 32, 48, 64, 128, 1024}) {
    const std::vector<double> later(all.begin() + lag, all.begin() + lag + kDraws);
    expect_independent(head, later, fmt::format("lag {}", lag));
  }
}

}  // namespace
}  // namespace wick
