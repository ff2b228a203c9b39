#include "wick/tensor/indexing.h"

#include "expect_values.h"
#include "support/all_dtypes.h"
#include "support/failing_call.h"

namespace wick {
namespace {

using testing_support::counting;
using testing_support::expect_values;
using testing_support::FailingCall;

Tensor ints(const std::vector<int64_t>& values, Shape shape) {
  return from_vector(values, std::move(shape));
}

TEST(Indexing, PositionsAndSlices) {
  const Tensor x = counting({2, 3, 4});

  expect_values(x[{1, 2, -1}], {}, {23});
  expect_values(x[1][0], {4}, {12, 13, 14, 15});
  expect_values(x[{-1, Slice{1, {}}, Slice{.step = 2}}], {2, 2}, {16, 18, 20, 22});
  expect_values(x[{Slice{}, Slice{.step = -2}, 0}], {2, 2}, {8, 0, 20, 12});
  expect_values(x[{ellipsis, 3}], {2, 3}, {3, 7, 11, 15, 19, 23});
  expect_values(x[{0, ellipsis, Slice{-100, 1}}], {3, 1}, {0, 4, 8});
  expect_values(x[{0, Slice{2, 1}}], {0, 4}, {});
  EXPECT_EQ(to_string(x[{newaxis, 0, newaxis, ellipsis, newaxis}].shape()), "[1,1,3,4,1]");
  EXPECT_EQ(x[ellipsis].node(), x.node());
}

TEST(Indexing, OneIndexTensor) {
  const Tensor x = counting({3, 4});
  const Tensor at = ints({2, -3, 2, 9}, {2, 2});  // 9 clamps

  expect_values(x[{Slice{}, at}], {3, 2, 2}, {2, 1, 2, 3, 6, 5, 6, 7, 10, 9, 10, 11});
  expect_values(x[{ints({-1}, {}), Slice{1, 3}}], {2}, {9, 10});
  for (const DType dtype : {DType::i8, DType::i16, DType::i32, DType::u8}) {
    expect_values(x[{ints({1, 0}, {2}).to(dtype), 0}], {2}, {4, 0});
  }
}

TEST(Indexing, SeveralIndexTensorsBroadcast) {
  const Tensor x = counting({2, 3, 4});
  const Tensor rows = ints({0, -1}, {2, 1});
  const Tensor columns = ints({1, 2, -4}, {3});

  expect_values(x[{rows, Slice{1, 2}, columns}], {2, 3, 1}, {5, 6, 4, 17, 18, 16});
  expect_values(x[{0, rows, columns}], {2, 3}, {1, 2, 0, 9, 10, 8});
  expect_values(x[{Slice{1, 2}, rows, columns}], {1, 2, 3}, {13, 14, 12, 21, 22, 20});
  expect_values(x[{ints({1}, {1}), newaxis, ints({0}, {1})}], {1, 1, 4}, {12, 13, 14, 15});
}

TEST(Indexing, Masks) {
  const Tensor x = counting({2, 3});

  expect_values(x[x > 2], {3}, {3, 4, 5});
  expect_values(x[{1, x[1] > 3}], {2}, {4, 5});
  expect_values(x[{Slice{}, x[0] < 2}], {2, 2}, {0, 1, 3, 4});
  expect_values(x[x > 9], {0}, {});
  expect_values(counting({2, 2, 3})[{Slice{1, 2}, x.to(DType::bool_)}], {1, 5}, {7, 8, 9, 10, 11});
}

TEST(Indexing, ATensorThatIsNoConstantReadsTheSame) {
  Tensor x = counting({2, 3});
  const auto row = x[1];
  x += 10;

  expect_values(row, {3}, {3, 4, 5});
  expect_values(x[1] * 2 - x[0], {3}, {16, 17, 18});
  expect_values(matmul(x[{Slice{}, 0}], x[{Slice{}, 1}]), {}, {292});
  EXPECT_EQ((x[{0, 2}].item<int>()), 12);
  EXPECT_EQ(x[0][1].item<int>(), 11);
  EXPECT_EQ(x[1].sum().item<int>(), 42);
}

TEST(IndexPut, PositionsAndSlices) {
  Tensor x = counting({2, 3});
  const Tensor before = x;
  x[{1, Slice{.step = 2}}] = 9;
  x[{Slice{}, Slice{.step = -1}}] = tensor({1, 2, 3});

  expect_values(before, {2, 3}, {0, 1, 2, 3, 4, 5});
  expect_values(x, {2, 3}, {3, 2, 1, 3, 2, 1});
  x[{ellipsis, -1}] = tensor({7, 8});
  x[{0, Slice{0, 0}}] = 5;  // nothing
  expect_values(x, {2, 3}, {3, 2, 7, 3, 2, 8});
  x[{0, newaxis, Slice{1, {}}}] = before[{Slice{}, Slice{0, 2}}][1];
  expect_values(x, {2, 3}, {3, 3, 4, 3, 2, 8});
  x[0] += x[1];
  x[{1, 0}] *= 10;
  expect_values(x, {2, 3}, {6, 5, 12, 30, 2, 8});
  expect_values(index_put(before, {0, 1}, 10, true), {2, 3}, {0, 11, 2, 3, 4, 5});
}

TEST(IndexPut, IndexTensors) {
  const Tensor x = zeros({3, 4});
  const Tensor rows = ints({0, -1, 0, 5}, {4});  // 5 is dropped
  const Tensor values = tensor({1, 2, 3, 4});

  Tensor by_row = x;
  by_row[{rows, 1}] = values;
  expect_values(by_row, {3, 4}, {0, 3, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0});
  expect_values(index_put(x, {rows, ints({1, 1, 1, 0}, {4})}, values, true),
                {3, 4},
                {0, 4, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0});
  Tensor cube = zeros({2, 3, 2});
  cube[{ints({0, 1}, {2}), Slice{1, 2}, ints({1, 0}, {2})}] = tensor({5, 6}).reshape({2, 1});
  expect_values(cube, {2, 3, 2}, {0, 0, 0, 5, 0, 0, 0, 0, 6, 0, 0, 0});
}

TEST(IndexPut, MasksNeedNoMaterialization) {
  Tensor x = counting({2, 3});
  x[x > 3] = -1;
  x[{Slice{}, tensor({1, 0, 0}).to(DType::bool_)}] = tensor({7, 8}).reshape({2, 1});
  x[x < 0] = tensor({5, 6});
  EXPECT_FALSE(x.is_materialized());

  expect_values(x, {2, 3}, {7, 1, 2, 8, 5, 6});
  expect_values(index_put(x, x > 6, 1, true), {2, 3}, {8, 1, 2, 9, 5, 6});
}

TEST(IndexPut, CastsToTheDtypeOfTheTarget) {
  for (const DType dtype : kAllDTypes) {
    Tensor x = zeros({3}, dtype);
    x[1] = 1;
    x[ints({2}, {1})] = tensor({1});
    expect_values(x, {3}, {0, 1, 1});
    EXPECT_EQ(x.dtype(), dtype);
  }
}

class IndexingErrors : public ::testing::TestWithParam<FailingCall<Tensor&>> {};

TEST_P(IndexingErrors, NameTheOpAndTheLineAndKeepTheTensor) {
  const Tensor before = zeros({2, 3});
  Tensor x = before;

  expect_failure(GetParam(), x);

  EXPECT_EQ(x.node(), before.node());
}

const FailingCall<Tensor&> kIndexingMistakes[] = {
    {[](Tensor& x) { (void)x[2].value(); },
     "index: position 2 is out of range for axis 0 of f32[2,3]"},
    {[](Tensor& x) { x[{0, -4}] = 1; },
     "index: position -4 is out of range for axis 1 of f32[2,3]"},
    {[](Tensor& x) { x[{0, 0, 0}] = 1; }, "index: too many indices: 3 axes of f32[2,3]"},
    {[](Tensor& x) { x[{ellipsis, ellipsis}] = 1; }, "index: there is more than one ellipsis"},
    {[](Tensor& x) { x[Slice{.step = 0}] = 1; }, "index: the step is 0"},
    {[](Tensor& x) { x[ones({2})] = 1; },
     "index: an index should be an integer or a bool tensor, got f32[2]"},
    {[](Tensor& x) { x[ones({3}, DType::bool_)] = 1; },
     "index: mask bool[3] does not have the extents of f32[2,3] from axis 0 on"},
    {[](Tensor& x) { x[{ints({0, 1}, {2}), ints({0, 1, 2}, {3})}] = 1; },
     "index: the index at axis 1, i64[3], does not broadcast with those before it, [2]"},
    {[](Tensor& x) { x[0] = ones({2}); }, "broadcast: f32[2] does not broadcast to [3]"},
    {[](Tensor& x) { (void)index_put(x.to(DType::i8), 0, 1000); },
     "index_put: the number 1000 does not fit i8"},
};

INSTANTIATE_TEST_SUITE_P(All, IndexingErrors, ::testing::ValuesIn(kIndexingMistakes));

}  // namespace
}  // namespace wick
