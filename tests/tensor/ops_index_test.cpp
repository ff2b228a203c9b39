#include "wick/tensor/ops_index.h"

#include <limits>

#include "expect_values.h"
#include "support/all_dtypes.h"
#include "support/failing_call.h"

#include "wick/tensor/ops_creation.h"
#include "wick/tensor/ops_search.h"

namespace wick {
namespace {

using testing_support::counting;
using testing_support::expect_values;
using testing_support::FailingCall;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

Tensor ints(const std::vector<int64_t>& values, Shape shape) {
  return from_vector(values, std::move(shape));
}

TEST(IndexOps, GatherByElements) {
  const Tensor x = counting({3, 4});

  expect_values(gather(x, 0, ints({2, 0}, {1, 2})), {1, 2}, {8, 1});
  expect_values(gather(x, 0, ints({2, 0, 1, 1}, {2, 2})), {2, 2}, {8, 1, 4, 5});
  expect_values(gather(x, 1, ints({3, 0, 9, -1}, {2, 2})), {2, 2}, {3, 0, 7, 4});
  expect_values(take_along_axis(x, ints({-1, 1}, {1, 2}), 1), {3, 2}, {3, 1, 7, 5, 11, 9});
  expect_values(gather(scalar(7), 0, ints({0, 0}, {2})), {2}, {7, 7});
  EXPECT_EQ(to_string(gather(zeros({0, 3}), 1, zeros({0, 5}, DType::i32)).shape()), "[0,5]");
}

/// Rows of what is gathered, of rows so short that they are walked as one, and of longer ones.
TEST(IndexOps, PartsOfWhatIsGathered) {
  for (const int64_t count : {2, 3, 70}) {
    const Tensor x = counting({2, 100, 5});
    const Tensor at = cast(floor(rand({2, 100, count}) * 5), DType::i64);
    materialize(at);
    const std::vector<int64_t> picked = at.to_vector<int64_t>();
    std::vector<double> expected;
    for (int64_t row = 130; row < 200; ++row) {
      for (int64_t i = 0; i < count; ++i)
        expected.push_back(
            static_cast<double>(5 * row + picked[static_cast<size_t>(row * count + i)]));
    }
    const Tensor part = gather(x, 2, at)[{1, Slice(30, 100)}];
    expect_values(part, {70, count}, expected);
  }
}

TEST(IndexOps, ElementsOfOneAxisThatDoNotExist) {
  const Tensor x = tensor({5, 6, 7});
  const int64_t far = std::numeric_limits<int64_t>::max();
  const Tensor at = ints({2, -1, 3, far, 0}, {5});

  expect_values(gather(x, 0, at), {5}, {7, 5, 7, 7, 5});
  expect_values(scatter_add(x, 0, at, 10), {3}, {15, 6, 17});
  expect_values(scatter(x, 0, at, tensor({1, 2, 3, 4, 5})), {3}, {5, 6, 1});
}

TEST(IndexOps, ScatterByElements) {
  const Tensor x = zeros({2, 3});
  const Tensor at = ints({2, 2, 0, 5}, {2, 2});
  const Tensor source = tensor({{1, 2, 9}, {3, 4, 9}});

  expect_values(scatter(x, 1, at, source), {2, 3}, {0, 0, 2, 3, 0, 0});
  expect_values(scatter(x, 1, at, 7), {2, 3}, {0, 0, 7, 7, 0, 0});
  expect_values(scatter_add(x, 1, at, source), {2, 3}, {0, 0, 3, 3, 0, 0});
  expect_values(scatter(x, 0, ints({1}, {1, 1}), source), {2, 3}, {0, 0, 0, 1, 0, 0});
  const auto reduced = [&](ScatterReduction reduction, bool include_self) {
    return scatter_reduce(ones({2, 3}) * 4, 1, at, source, reduction, include_self);
  };
  expect_values(reduced(ScatterReduction::mean, true), {2, 3}, {4, 4, 7.0F / 3, 3.5, 4, 4});
  expect_values(reduced(ScatterReduction::mean, false), {2, 3}, {4, 4, 1.5, 3, 4, 4});
  expect_values(reduced(ScatterReduction::prod, false), {2, 3}, {4, 4, 2, 3, 4, 4});
  expect_values(reduced(ScatterReduction::amax, true), {2, 3}, {4, 4, 4, 4, 4, 4});
  expect_values(reduced(ScatterReduction::amin, false), {2, 3}, {4, 4, 1, 3, 4, 4});
}

TEST(IndexOps, EveryDtype) {
  for (const DType dtype : kAllDTypes) {
    const Tensor x = tensor({1, 0, 1}).to(dtype);
    const Tensor at = ints({0, 2}, {2});
    expect_values(scatter(x, 0, at, 0), {3}, {0, 0, 0});
    expect_values(index_copy(x, 0, at, zeros({2})), {3}, {0, 0, 0});
    expect_values(
        scatter_reduce(x, 0, at, zeros({2}, dtype), ScatterReduction::amax, false), {3}, {0, 0, 0});
    expect_values(masked_select(x, x.to(DType::bool_)), {2}, {1, 1});
    expect_values(unique(x).values, {2}, {0, 1});
  }
}

TEST(IndexOps, SlicesAndFlatPositions) {
  const Tensor x = counting({3, 2});
  const Tensor at = ints({2, 0, 2}, {3});

  expect_values(index_select(x, 0, at), {3, 2}, {4, 5, 0, 1, 4, 5});
  expect_values(index_add(x, 0, at, ones({3, 2}), 10), {3, 2}, {10, 11, 2, 3, 24, 25});
  expect_values(index_copy(x, 0, at, counting({3, 2}) * -1), {3, 2}, {-2, -3, 2, 3, -4, -5});
  expect_values(index_fill(x, 1, ints({-1}, {1}), 9), {3, 2}, {0, 9, 2, 9, 4, 9});
  expect_values(take(x, ints({5, -6}, {2, 1})), {2, 1}, {5, 0});
  expect_values(put(x, ints({0, 0, -1}, {3}), tensor({1, 2, 3}), true), {3, 2}, {3, 1, 2, 3, 4, 8});
  const Tensor mask = x > 2;
  expect_values(masked_scatter(x, mask, tensor({7, 8, 9})), {3, 2}, {0, 1, 2, 7, 8, 9});
}

TEST(IndexOps, Searching) {
  const Tensor x = tensor({{0, 3, 0}, {-1, 0, kNan}});

  expect_values(nonzero(x), {3, 2}, {0, 1, 1, 0, 1, 2});
  expect_values(where(x)[1], {3}, {1, 0, 2});
  EXPECT_EQ(to_string(nonzero(scalar(2)).shape()), "[1,0]");
  const Tensor sorted = tensor({1, 2, 2, 4});
  const Tensor values = tensor({0, 1, 2, 3, 4, 5, kNan});
  expect_values(searchsorted(sorted, values), {7}, {0, 0, 1, 3, 3, 4, 4});
  expect_values(bucketize(values, sorted, true), {7}, {0, 1, 3, 3, 4, 4, 4});
  expect_values(
      searchsorted(tensor({{1, 2, 3}, {4, 5, 6}}), tensor({2, 9}).reshape({2, 1})), {2, 1}, {1, 3});
  expect_values(searchsorted(zeros({0}), values.reshape({7, 1})), {7, 1}, {0, 0, 0, 0, 0, 0, 0});
  expect_values(isin(tensor({1, 3, 4}), sorted), {3}, {1, 0, 1});
}

TEST(IndexOps, Sets) {
  const UniqueValues found = unique(tensor({{3, 1}, {3, 2}}));
  expect_values(found.values, {3}, {1, 2, 3});
  expect_values(found.inverse, {2, 2}, {2, 0, 2, 1});
  expect_values(found.counts, {3}, {1, 1, 2});
  expect_values(found.indices, {3}, {1, 3, 0});

  const UniqueValues rows = unique(tensor({{3, 1}, {1, 9}, {3, 1}}), 0);
  expect_values(rows.values, {2, 2}, {1, 9, 3, 1});
  expect_values(rows.inverse, {3}, {1, 0, 1});
  expect_values(unique(tensor({{3, 1, 3}}), 1).values, {1, 2}, {1, 3});
  expect_values(unique_consecutive(tensor({1, 1, 2, 1})).counts, {3}, {2, 1, 1});
  expect_values(unique(zeros({0})).values, {0}, {});
}

/// Close integers are looked up in a table, floats and others are sorted.
TEST(IndexOps, SetsOfCloseIntegersAreThoseOfFloats) {
  manual_seed(3);
  const Tensor some = randint(-100, 100, {37, 53});
  for (const DType dtype : {DType::i8, DType::i16, DType::i32, DType::i64}) {
    const UniqueValues found = unique(cast(some, dtype));
    const UniqueValues expected = unique(cast(some, DType::f64));
    EXPECT_EQ(found.values.dtype(), dtype);
    EXPECT_EQ(found.values.to_vector<double>(), expected.values.to_vector<double>());
    EXPECT_EQ(found.inverse.shape(), some.shape());
    EXPECT_EQ(found.inverse.to_vector<int64_t>(), expected.inverse.to_vector<int64_t>());
    EXPECT_EQ(found.counts.to_vector<int64_t>(), expected.counts.to_vector<int64_t>());
    EXPECT_EQ(found.indices.to_vector<int64_t>(), expected.indices.to_vector<int64_t>());
  }
  constexpr auto kLeast = std::numeric_limits<int64_t>::min();
  constexpr auto kMost = std::numeric_limits<int64_t>::max();
  for (const std::vector<int64_t>& values :
       {std::vector<int64_t>{kMost, kLeast, kMost}, {kLeast + 1, kLeast}, {kMost - 5000, kMost}}) {
    std::vector<int64_t> sorted = values;
    std::ranges::sort(sorted);
    sorted.erase(std::ranges::unique(sorted).begin(), sorted.end());
    const auto size = static_cast<int64_t>(values.size());
    EXPECT_EQ(unique(from_vector(values, {size})).values.to_vector<int64_t>(), sorted);
  }
}

TEST(IndexOps, Counting) {
  expect_values(bincount(ints({1, 3, 1}, {3})), {4}, {0, 2, 0, 1});
  expect_values(bincount(ints({1, 3}, {2}), tensor({0.5, 2}), 6), {6}, {0, 0.5, 0, 2, 0, 0});
  expect_values(bincount(ints({}, {0})), {0}, {});
  const Histogram bins = histogram(tensor({0, 1, 1, 4, kNan}), 2, std::pair(0.0, 4.0));
  expect_values(bins.counts, {2}, {3, 1});
  expect_values(bins.edges, {3}, {0, 2, 4});
  expect_values(histogram(tensor({2, 2}), 3).counts, {3}, {0, 2, 0});
}

TEST(Creation, Ranges) {
  expect_values(arange(2, 11, 3), {3}, {2, 5, 8});
  expect_values(arange(3, -3, -2), {3}, {3, 1, -1});
  expect_values(arange(0.0, 1.0, 0.3), {4}, {0, 0.3F, 0.6F, 0.9F});
  EXPECT_EQ(arange(1, 1).numel(), 0);
  constexpr int64_t kLow = std::numeric_limits<int64_t>::min();
  constexpr int64_t kHigh = std::numeric_limits<int64_t>::max();
  expect_values(arange(kLow, kHigh, kHigh).to(DType::f64), {3}, {-0x1p63, -1, 0x1p63});
  expect_values(linspace(-3, 9, 4, DType::i32), {4}, {-3, 1, 5, 9});
  expect_values(logspace(0, 3, 4), {4}, {1, 10, 100, 1000});
  expect_values(geomspace(-2, -32, 5), {5}, {-2, -4, -8, -16, -32});
  expect_values(eye(2, 3, -1), {2, 3}, {0, 0, 0, 1, 0, 0});
  expect_values(full_like(zeros({2}, DType::i8), 3), {2}, {3, 3});
}

class IndexErrors : public ::testing::TestWithParam<FailingCall<const Tensor&>> {};

TEST_P(IndexErrors, NameTheOpWhatIsWrongAndTheLine) {
  expect_failure(GetParam(), zeros({2, 3}));
}

Tensor whole() {
  return ints({1, 2, 3}, {3}).to(DType::i32);
}

const FailingCall<const Tensor&> kIndexMistakes[] = {
    {[](const Tensor& x) { (void)gather(x, 0, zeros({2, 4}, DType::i64)); },
     "gather: indices i64[2,4] do not fit f32[2,3] beside axis 0"},
    {[](const Tensor& x) { (void)gather(x, 0, x); }, "gather: needs integers, got f32[2,3]"},
    {[](const Tensor& x) { (void)gather(x, 2, whole()); },
     "gather: axis 2 is out of range for f32[2,3]"},
    {[](const Tensor& x) { (void)gather(x, 0, whole()); },
     "gather: indices i32[3] do not fit f32[2,3] beside axis 0"},
    {[](const Tensor&) { (void)gather(Tensor(), 0, whole()); },
     "gather: an operand is an undefined tensor"},
    {[](const Tensor& x) { (void)gather(x, 0, Tensor()); },
     "gather: an operand is an undefined tensor"},
    {[](const Tensor& x) { (void)take_along_axis(x, zeros({4, 1}, DType::i32), 1); },
     "take_along_axis: indices i32[4,1] do not broadcast with f32[2,3] beside axis 1"},
    {[](const Tensor& x) { (void)take(x, x, 0); },
     "gather: indices should be i32 or i64, got f32[2,3]"},
    {[](const Tensor& x) { (void)take(x, whole(), 2); },
     "gather: axis 2 is out of range for f32[2,3]"},
    {[](const Tensor&) { (void)take(Tensor(), whole(), 0); },
     "gather: operand 1 is an undefined tensor"},
    {[](const Tensor& x) { (void)scatter(x, 1, zeros({2, 4}, DType::i32), x); },
     "scatter: indices i32[2,4] do not fit f32[2,3]"},
    {[](const Tensor& x) { (void)scatter(x, 1, zeros({2, 3}, DType::i32), ones({1, 3})); },
     "scatter: indices i32[2,3] do not fit f32[1,3]"},
    {[](const Tensor& x) { (void)scatter_add(x, 1, x, x); },
     "scatter_add: needs integers, got f32[2,3]"},
    {[](const Tensor& x) { (void)scatter_reduce(x, 0, Tensor(), x, ScatterReduction::sum); },
     "scatter_reduce: an operand is an undefined tensor"},
    {[](const Tensor& x) { (void)index_select(x, 0, zeros({1, 1}, DType::i32)); },
     "index_select: needs a list of indices, got i32[1,1]"},
    {[](const Tensor& x) { (void)index_select(x, 2, whole()); },
     "index_select: axis 2 is out of range for f32[2,3]"},
    {[](const Tensor& x) { (void)index_select(x, 0, x); },
     "index_select: needs integers, got f32[2,3]"},
    {[](const Tensor& x) { (void)index_add(x, 0, zeros({1}, DType::i32), zeros({2})); },
     "scatter: updates f32[2] should have shape [1,3]"},
    {[](const Tensor& x) { (void)index_add(x, 0, zeros({1}, DType::i32), Tensor()); },
     "index_add: an operand is an undefined tensor"},
    {[](const Tensor& x) { (void)index_copy(x, 3, zeros({1}, DType::i32), zeros({1, 3})); },
     "index_copy: axis 3 is out of range for f32[2,3]"},
    {[](const Tensor&) { (void)index_fill(whole(), 0, zeros({1}, DType::i32), 0.5); },
     "index_fill: the number 0.5 does not fit i32"},
    {[](const Tensor& x) { (void)put(x, x, x); }, "put: needs integers, got f32[2,3]"},
    {[](const Tensor& x) { (void)put(x, whole(), ones({2})); },
     "broadcast: f32[2] does not broadcast to [3]"},
    {[](const Tensor& x) { (void)masked_select(x, x); },
     "masked_select: the mask should be bool, got f32[2,3]"},
    {[](const Tensor& x) { (void)masked_select(x, ones({2}) > 0); },
     "broadcast_tensors: bool[2] does not broadcast with those before it, [2,3]"},
    {[](const Tensor& x) { (void)masked_select(x, Tensor()); },
     "masked_select: an operand is an undefined tensor"},
    {[](const Tensor& x) { (void)masked_scatter(x, x, x); },
     "masked_scatter: the mask should be bool, got f32[2,3]"},
    {[](const Tensor& x) { (void)searchsorted(x, zeros({3})); },
     "searchsorted: f32[2,3] and values f32[3] should have the same leading axes"},
    {[](const Tensor&) { (void)searchsorted(scalar(1), zeros({3})); },
     "searchsorted: needs 1 or more axes, got f32[]"},
    {[](const Tensor& x) { (void)searchsorted(Tensor(), x); },
     "searchsorted: an operand is an undefined tensor"},
    {[](const Tensor& x) { (void)bucketize(x, x); },
     "bucketize: boundaries should be a vector, got f32[2,3]"},
    {[](const Tensor&) { (void)bucketize(Tensor(), ones({2})); },
     "bucketize: an operand is an undefined tensor"},
    {[](const Tensor& x) { (void)isin(Tensor(), x); }, "isin: an operand is an undefined tensor"},
    {[](const Tensor&) { (void)nonzero(Tensor()); }, "nonzero: an operand is an undefined tensor"},
    {[](const Tensor&) { (void)unique(Tensor()); }, "unique: an operand is an undefined tensor"},
    {[](const Tensor& x) { (void)unique(x, 2); }, "unique: axis 2 is out of range for f32[2,3]"},
    {[](const Tensor&) { (void)bincount(whole() * -1); }, "bincount: -3 is negative"},
    {[](const Tensor& x) { (void)bincount(x); }, "bincount: needs integers, got f32[2,3]"},
    {[](const Tensor& x) { (void)bincount(x.to(DType::i32)); },
     "bincount: needs a vector and a minimum from 0 on, got i32[2,3] and 0"},
    {[](const Tensor&) { (void)bincount(whole(), ones({2})); },
     "bincount: weights f32[2] should have the shape of i32[3]"},
    {[](const Tensor&) { (void)bincount(whole(), {}, -1); },
     "bincount: needs a vector and a minimum from 0 on, got i32[3] and -1"},
    {[](const Tensor& x) { (void)histogram(x, 0); }, "histogram: no 0 bins from 0 to 1"},
    {[](const Tensor& x) { (void)histogram(x, 2, std::pair{1.0, 0.0}); },
     "histogram: no 2 bins from 1 to 0"},
    {[](const Tensor&) { (void)histogram(Tensor(), 2); },
     "histogram: an operand is an undefined tensor"},
};

INSTANTIATE_TEST_SUITE_P(All, IndexErrors, ::testing::ValuesIn(kIndexMistakes));

}  // namespace
}  // namespace wick
