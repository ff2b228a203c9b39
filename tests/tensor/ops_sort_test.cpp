#include "wick/tensor/ops_sort.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <span>
#include <utility>
#include <vector>

#include "expect_values.h"
#include "support/all_dtypes.h"
#include "support/failing_call.h"

#include "wick/autograd/autograd.h"

namespace wick {
namespace {

using testing_support::expect_values;
using testing_support::FailingCall;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

const Tensor& tied() {
  static const Tensor x = tensor({{3, 1, 3, 2}, {kNan, 0, -1, kNan}});
  return x;
}

TEST(Sorting, IsStableWithNanLast) {
  const auto [rising, at] = sort(tied());
  const auto [falling, falling_at] = sort(tied(), 1, true);

  expect_values(rising, {2, 4}, {1, 2, 3, 3, -1, 0, kNan, kNan});
  expect_values(at, {2, 4}, {1, 3, 0, 2, 2, 1, 0, 3});
  expect_values(falling, {2, 4}, {3, 3, 2, 1, kNan, kNan, 0, -1});
  expect_values(falling_at, {2, 4}, {0, 2, 3, 1, 0, 3, 1, 2});
  expect_values(argsort(scalar(4)), {}, {0});
  expect_values(sort(zeros({0, 3}), 0).indices, {0, 3}, {});
}

TEST(Sorting, TakesEveryDtype) {
  for (const DType dtype : kAllDTypes) {
    const Tensor x = tensor({1, 0, 1, 0}).to(dtype);
    expect_values(sort(x, 0).values, {4}, {0, 0, 1, 1});
    expect_values(topk(x, 2).indices, {2}, {0, 2});
    expect_values(cummax(x, 0).indices, {4}, {0, 0, 2, 2});
    expect_values(mode(x).values, {}, {0});
    expect_values(cumsum(x, 0), {4}, {1, 1, 2, 2});
  }
  const Tensor extremes = from_vector(
      std::vector<int64_t>{
          5, std::numeric_limits<int64_t>::min(), std::numeric_limits<int64_t>::max()},
      {3});
  expect_values(argsort(extremes), {3}, {1, 0, 2});
  expect_values(argsort(extremes, 0, true), {3}, {2, 0, 1});
}

/// Numbers that are hard to tell apart, as f64.
std::vector<double> hard_numbers(DType dtype) {
  if (dtype == DType::bool_ || dtype == DType::u8) return {0, 1, 1};
  if (dtype == DType::i32) return {-2147483648.0, 2147483647.0, 0, -1, 1};
  if (!is_float(dtype)) return {-128, 127, 0, -1, 1};
  const double tiny = dtype == DType::f64 ? 5e-324 : dtype == DType::f16 ? 6e-8 : 1e-39;
  const double huge = dtype == DType::f64 ? 1e308 : dtype == DType::f16 ? 65504 : 3e38;
  return {kNan, -kNan, kInf, -kInf, 0.0, -0.0, tiny, -tiny, huge, -huge, 1, 1, -1};
}

/// Positions in the order of numbers, NaN after all others.
std::vector<double> stable_order(std::span<const double> numbers, bool descending) {
  std::vector<double> order(numbers.size());
  std::iota(order.begin(), order.end(), 0.0);
  const auto before = [&](double i, double j) {
    const double x = numbers[static_cast<size_t>(descending ? j : i)];
    const double y = numbers[static_cast<size_t>(descending ? i : j)];
    return x < y || (std::isnan(y) && !std::isnan(x));
  };
  std::ranges::stable_sort(order, before);
  return order;
}

TEST(Sorting, TellsAllNumbersApart) {
  constexpr size_t kRows = 21;
  std::mt19937 random(7);
  for (const DType dtype : kAllDTypes) {
    const std::vector<double> from = hard_numbers(dtype);
    for (const size_t extent : {1, 3, 8, 9, 23, 64, 130, 256, 300}) {
      std::vector<double> numbers(kRows * extent);
      for (double& number : numbers)
        number = from[random() % from.size()];
      const Shape shape{static_cast<int64_t>(kRows), static_cast<int64_t>(extent)};
      const Tensor x = from_vector(numbers, shape).to(dtype);
      const std::vector<double> exact = x.to(DType::f64).to_vector<double>();
      for (const bool descending : {false, true}) {
        SCOPED_TRACE(::testing::Message() << to_string(x.type()) << " " << descending);
        const int64_t few = std::min<int64_t>(shape[1], 3);
        const Tensor all = argsort(x, 1, descending);
        const Tensor down = argsort(transpose(x, 0, 1), 0, descending);
        std::vector<double> expected;
        std::vector<double> expected_few;
        for (size_t row = 0; row < kRows; ++row) {
          const std::vector<double> order =
              stable_order(std::span(exact).subspan(row * extent, extent), descending);
          expected.insert(expected.end(), order.begin(), order.end());
          expected_few.insert(expected_few.end(), order.begin(), order.begin() + few);
        }
        expect_values(all, shape, expected);
        expect_values(transpose(down, 0, 1), shape, expected);
        expect_values(topk(x, few, 1, descending).indices, {shape[0], few}, expected_few);
      }
    }
  }
}

TEST(Sorting, OrderStatistics) {
  const auto [largest, where_largest] = topk(tied(), 2);
  const auto [least, where_least] = topk(tied(), 1, 1, false);

  expect_values(largest, {2, 2}, {3, 3, kNan, kNan});
  expect_values(where_largest, {2, 2}, {0, 2, 0, 3});
  expect_values(least, {2, 1}, {1, -1});
  expect_values(where_least, {2, 1}, {1, 2});
  expect_values(kthvalue(tied(), 2).values, {2}, {2, 0});
  expect_values(median(tied(), 1).values, {2}, {2, kNan});
  expect_values(median(tied(), 1, true).indices, {2, 1}, {3, 0});
  expect_values(median(tensor({2, kNan, 1, kNan}), 0).indices, {}, {1});
  expect_values(nanmedian(full({3}, kNan), 0).indices, {}, {0});
  expect_values(nanmedian(tied(), 1).values, {2}, {2, -1});
  expect_values(nanmedian(tied()), {}, {1});
  expect_values(median(tensor({4, 1, 3}).to(DType::i32)), {}, {3});
  expect_values(mode(tied()).values, {2}, {3, -1});
  expect_values(mode(tied()).indices, {2}, {2, 2});
  expect_values(mode(tied(), 0, true).values, {1, 4}, {3, 0, -1, 2});
}

TEST(Sorting, CumulativeOps) {
  const Tensor x = tensor({{1, 2, 3}, {4, 5, 6}});

  expect_values(cumsum(x, 0), {2, 3}, {1, 2, 3, 5, 7, 9});
  expect_values(cumprod(x, -1), {2, 3}, {1, 2, 6, 4, 20, 120});
  EXPECT_EQ(cumsum(x.to(DType::u8), 0).dtype(), DType::i64);
  expect_values(cumsum(scalar(3), 0), {}, {3});
  expect_values(logcumsumexp(tensor({1000, 1000}), 0), {2}, {1000, 1000.6931}, 1e-3);
  const auto [values, indices] = cummax(tensor({1, 3, 3, 2, kNan, 5}), 0);
  expect_values(values, {6}, {1, 3, 3, 3, kNan, kNan});
  expect_values(indices, {6}, {0, 1, 2, 2, 4, 4});
  expect_values(cummin(tensor({2, 3, 2, 1}), 0).indices, {4}, {0, 0, 2, 3});
  // A million tenths, in f32, to the last bit but one.
  const Tensor total = cumsum(full({1000000}, 0.1), 0);
  EXPECT_NEAR(total.to_vector<float>().back(), 100000, 0.01);
}

/// Logarithms that rise, fall and are infinite; from a NaN on all are. Along the last axis and,
/// beside each other, along the first.
TEST(Sorting, CumulativeSumsOfExponentials) {
  const std::vector<double> finite = {-1000, -2000, -1000, 3, 700, 1, 700, 1000.5};
  std::vector<double> sums;
  for (size_t i = 0; i < finite.size(); ++i) {
    const double high = *std::ranges::max_element(finite.begin(), finite.begin() + i + 1);
    double sum = 0;
    for (size_t j = 0; j <= i; ++j)
      sum += std::exp(finite[j] - high);
    sums.push_back(high + std::log(sum));
  }
  const std::pair<std::vector<double>, std::vector<double>> cases[] = {
      {finite, sums},
      {{-kInf, -kInf, 2, -kInf, 2}, {-kInf, -kInf, 2, 2, 2 + std::log(2)}},
      {{5, kInf, 1, kInf, -kInf}, {5, kInf, kInf, kInf, kInf}},
      {{1, kNan, kInf, 2}, {1, kNan, kNan, kNan}},
      {{kNan, -kInf, kInf}, {kNan, kNan, kNan}},
      {{kInf, kNan, kInf}, {kInf, kNan, kNan}}};
  for (const auto& [x, expected] : cases) {
    const auto length = static_cast<int64_t>(x.size());
    const Tensor row = from_vector(x, {length}).to(DType::f32);
    expect_values(logcumsumexp(row, 0), {length}, expected, 1e-4);
    const Tensor columns = broadcast_to(reshape(row, {length, 1}), {length, 20});
    for (const int64_t column : {0, 17, 19})
      expect_values(select(logcumsumexp(columns, 0), 1, column), {length}, expected, 1e-4);
    expect_values(flip(logcumsumexp(flip(columns, {0}), 0), {0})[0],
                  {20},
                  std::vector<double>(20, expected.back()),
                  1e-4);
  }
}

/// Along the last axis and, beside each other, along the first: sums of 1, 2, 3..., products of -1.
TEST(Sorting, CumulativeOpsOfAnyLength) {
  for (const DType dtype : {DType::f32, DType::i64}) {
    for (const int64_t length : {1, 2, 4, 5, 6, 9, 10, 1027}) {
      const Tensor counts = arange(1, length + 1).to(dtype);
      const Tensor sums = counts * (counts + 1) / 2;
      const Tensor signs = 1 - 2 * remainder(counts, 2);
      const Tensor rows = broadcast_to(counts, {3, length});
      const Tensor flips = broadcast_to(full({}, -1, dtype), {3, length});

      EXPECT_TRUE(all(cumsum(rows, 1) == sums).item<bool>()) << length;
      EXPECT_TRUE(all(cumprod(flips, 1) == signs).item<bool>()) << length;
      EXPECT_TRUE(all(transpose(cumsum(transpose(rows, 0, 1), 0), 0, 1) == sums).item<bool>());
    }
  }
  const Tensor wide = broadcast_to(reshape(tensor({1, 2, 4}), {3, 1}), {3, 2500});
  EXPECT_TRUE(all(cumsum(wide, 0) == reshape(tensor({1, 3, 7}), {3, 1})).item<bool>());
}

// As numpy.quantile and numpy.nanquantile.
TEST(Sorting, QuantilesLieBetweenElements) {
  const Tensor x = tensor({{4, 1, 3, 2}, {10, NAN, 20, 40}});

  expect_values(quantile(select(x, 0, 0), 0.4), {}, {2.2}, testing_support::kFloatTolerance);
  expect_values(quantile(x, 0.5, 1, true), {2, 1}, {2.5, NAN});
  expect_values(nanquantile(x, 0.25, 1), {2}, {1.75, 15});
  expect_values(nanquantile(x, 1, 0), {4}, {10, 1, 20, 40});
  expect_values(nanquantile(full({3}, NAN), 0.5), {}, {NAN});
  expect_values(quantile(tensor({INFINITY, 1, INFINITY}), 0.75), {}, {INFINITY});
  expect_values(quantile(scalar(7), 0.3, 0), {}, {7});
  expect_values(quantile(tensor({1, 2, 4}).to(DType::f16), 0.75), {}, {3});
}

TEST(Sorting, QuantileRules) {
  const Tensor x = tensor({5, 1, 2, 4});
  const auto at = [&](double q, QuantileRule rule) {
    return quantile(x, q, 0, false, rule).item<double>();
  };

  EXPECT_EQ(at(0.5, QuantileRule::lower), 2);
  EXPECT_EQ(at(0.5, QuantileRule::higher), 4);
  EXPECT_EQ(at(0.5, QuantileRule::midpoint), 3);
  EXPECT_EQ(at(0.5, QuantileRule::nearest), 4);  // position 1.5: the even one
  EXPECT_EQ(at(0.25, QuantileRule::nearest), 2);
  EXPECT_EQ(at(1, QuantileRule::higher), 5);
}

TEST(Sorting, QuantilesShareTheirGradient) {
  Tensor x = tensor({5, 1, 2, 4});
  x.requires_grad_();
  expect_values(grad(quantile(x, 0.25), x), {4}, {0, 0.25, 0.75, 0});
}

class SortErrors : public ::testing::TestWithParam<FailingCall<const Tensor&>> {};

TEST_P(SortErrors, NameTheOpWhatIsWrongAndTheLine) {
  expect_failure(GetParam(), zeros({2, 3}));
}

Tensor whole() {
  return tensor({1, 2, 3}).to(DType::i32);
}

const FailingCall<const Tensor&> kSortingMistakes[] = {
    {[](const Tensor& x) { (void)sort(x, 2); }, "sort: axis 2 is out of range for f32[2,3]"},
    {[](const Tensor&) { (void)sort(Tensor()); }, "sort: an operand is an undefined tensor"},
    {[](const Tensor& x) { (void)argsort(x, -3); },
     "argsort: axis -3 is out of range for f32[2,3]"},
    {[](const Tensor& x) { (void)topk(x, 4); }, "topk: no 4 elements along axis 1 of f32[2,3]"},
    {[](const Tensor& x) { (void)topk(x, -1); }, "topk: no -1 elements along axis 1 of f32[2,3]"},
    {[](const Tensor& x) { (void)topk(x, 1, 2); }, "topk: axis 2 is out of range for f32[2,3]"},
    {[](const Tensor& x) { (void)kthvalue(x, 0); },
     "kthvalue: no element 0 along axis 1 of f32[2,3]"},
    {[](const Tensor& x) { (void)kthvalue(x, 4); },
     "kthvalue: no element 4 along axis 1 of f32[2,3]"},
    {[](const Tensor&) { (void)median(zeros({2, 0}), 1); },
     "median: axis 1 of f32[2,0] has no elements"},
    {[](const Tensor&) { (void)median(zeros({0})); }, "median: axis 0 of f32[0] has no elements"},
    {[](const Tensor& x) { (void)median(x, 2); }, "median: axis 2 is out of range for f32[2,3]"},
    {[](const Tensor&) { (void)nanmedian(zeros({0})); },
     "nanmedian: axis 0 of f32[0] has no elements"},
    {[](const Tensor&) { (void)nanmedian(Tensor()); },
     "nanmedian: an operand is an undefined tensor"},
    {[](const Tensor&) { (void)mode(zeros({0})); }, "mode: axis 0 of f32[0] has no elements"},
    {[](const Tensor& x) { (void)mode(x, 2); }, "mode: axis 2 is out of range for f32[2,3]"},
    {[](const Tensor&) { (void)cumsum(Tensor(), 0); }, "cumsum: an operand is an undefined tensor"},
    {[](const Tensor& x) { (void)cumsum(x, 2); }, "cumsum: axis 2 is out of range for f32[2,3]"},
    {[](const Tensor& x) { (void)cumprod(x, -3); },
     "cumprod: axis -3 is out of range for f32[2,3]"},
    {[](const Tensor& x) { (void)cummax(x, 2); }, "cummax: axis 2 is out of range for f32[2,3]"},
    {[](const Tensor&) { (void)logcumsumexp(whole(), 0); },
     "logcumsumexp: needs floats, got i32[3]"},
    {[](const Tensor& x) { (void)quantile(x, 1.5, 0); }, "quantile: q must be in [0, 1], is 1.5"},
    {[](const Tensor& x) { (void)quantile(x, 0.5, 2); },
     "quantile: axis 2 is out of range for f32[2,3]"},
    {[](const Tensor&) { (void)nanquantile(zeros({0}), 0.5); },
     "nanquantile: axis 0 of f32[0] has no elements"},
    {[](const Tensor&) { (void)nanquantile(Tensor(), 0.5); },
     "nanquantile: an operand is an undefined tensor"},
};

INSTANTIATE_TEST_SUITE_P(All, SortErrors, ::testing::ValuesIn(kSortingMistakes));

}  // namespace
}  // namespace wick
