#include "wick/tensor/ops_sort.h"

#include <functional>
#include <limits>

#include "expect_values.h"

namespace wick {
namespace {

using testing::expect_values;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

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
  for (const DType dtype : {DType::f64,
                            DType::f16,
                            DType::bf16,
                            DType::i8,
                            DType::i16,
                            DType::i32,
                            DType::i64,
                            DType::u8,
                            DType::bool_}) {
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

struct BadCall {
  std::function<void(const Tensor&)> call;
  const char* message;
};

class SortErrors : public ::testing::TestWithParam<BadCall> {};

TEST_P(SortErrors, NameTheOpAndWhatIsWrong) {
  try {
    GetParam().call(zeros({2, 3}));
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.op() + ": " + error.text(), GetParam().message);
    EXPECT_EQ(error.where().file, __FILE__);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Family,
    SortErrors,
    ::testing::Values(BadCall{[](const Tensor& x) { (void)sort(x, 2); },
                              "sort: axis 2 is out of range for f32[2,3]"},
                      BadCall{[](const Tensor& x) { (void)topk(x, 4); },
                              "topk: no 4 elements along axis 1 of f32[2,3]"},
                      BadCall{[](const Tensor& x) { (void)kthvalue(x, 0); },
                              "kthvalue: no element 0 along axis 1 of f32[2,3]"},
                      BadCall{[](const Tensor&) { (void)median(zeros({2, 0}), 1); },
                              "median: axis 1 of f32[2,0] has no elements"},
                      BadCall{[](const Tensor& x) { (void)logcumsumexp(x.to(DType::i32), 0); },
                              "logcumsumexp: needs floats, got i32[2,3]"},
                      BadCall{[](const Tensor&) { (void)cumsum(Tensor(), 0); },
                              "cumsum: an operand is an undefined tensor"}));

}  // namespace
}  // namespace wick
