#include <array>

#include "expect_values.h"

#include "wick/tensor/ops_index.h"

namespace wick {
namespace {

using testing_support::counting;
using testing_support::expect_values;

TEST(Movement, ReshapeFillsTheFreeExtent) {
  expect_values(counting({2, 3}).reshape({-1, 2}), {3, 2}, {0, 1, 2, 3, 4, 5});
  expect_values(flatten(counting({2, 1, 3})), {6}, {0, 1, 2, 3, 4, 5});
  EXPECT_EQ(to_string(flatten(counting({2, 1, 3}), 1).shape()), "[2,3]");
  EXPECT_EQ(to_string(flatten(scalar(3)).shape()), "[1]");
}

TEST(Movement, PermuteAndTranspose) {
  expect_values(counting({2, 3}).transpose(0, 1), {3, 2}, {0, 3, 1, 4, 2, 5});
  expect_values(counting({1, 2, 3}).permute({2, 0, -2}), {3, 1, 2}, {0, 3, 1, 4, 2, 5});
}

TEST(Movement, InsertsAndRemovesAxes) {
  EXPECT_EQ(to_string(unsqueeze(counting({2, 3}), 1).shape()), "[2,1,3]");
  EXPECT_EQ(to_string(unsqueeze(counting({2, 3}), -1).shape()), "[2,3,1]");
  EXPECT_EQ(to_string(squeeze(counting({2, 1, 3}), 1).shape()), "[2,3]");
}

TEST(Movement, BroadcastTo) {
  expect_values(broadcast_to(tensor({1, 2}), {2, 2}), {2, 2}, {1, 2, 1, 2});
}

TEST(Movement, SliceFollowsPython) {
  const Tensor x = counting({6}) + 0;  // pending: not a view
  EXPECT_FALSE(x.is_materialized());

  expect_values(slice(x, 0, 1, 4), {3}, {1, 2, 3});
  expect_values(slice(x, 0, -2, 100), {2}, {4, 5});
  expect_values(slice(x, 0, 0, 6, 2), {3}, {0, 2, 4});
  expect_values(slice(x, 0, 5, -100, -2), {3}, {5, 3, 1});
  expect_values(slice(x, 0, -1, 2, -1), {3}, {5, 4, 3});
  expect_values(slice(x, 0, 4, 2), {0}, {});
}

TEST(Movement, SliceOfTheLeadingAxisOfAValueIsAView) {
  Tensor x = counting({4, 3});
  materialize(x);

  const Tensor rows = slice(x, 0, 1, 3);
  const Tensor row = select(x, 0, -1);

  EXPECT_TRUE(rows.is_materialized());
  if (x.device().is_cpu()) {
    EXPECT_EQ(rows.data<float>().data(), x.data<float>().data() + 3);
  }
  x = Tensor();  // the view keeps the memory
  expect_values(rows, {2, 3}, {3, 4, 5, 6, 7, 8});
  expect_values(row, {3}, {9, 10, 11});
}

TEST(Movement, SliceOfAnInnerAxis) {
  Tensor x = counting({2, 3});
  materialize(x);

  expect_values(slice(x, 1, 1, 3), {2, 2}, {1, 2, 4, 5});
  expect_values(select(x, 1, 0), {2}, {0, 3});
}

TEST(Movement, ViewsAreNeverWritten) {
  Tensor x = counting({4});
  materialize(x);

  Tensor half = slice(x, 0, 0, 2);
  half = half * 2 + 1;  // the view dies with this
  materialize(half);

  expect_values(x, {4}, {0, 1, 2, 3});
}

TEST(Movement, ConcatAndStack) {
  const Tensor a = tensor({1, 2});
  const Tensor b = tensor({3, 4});

  expect_values(concat({a, b}, 0), {4}, {1, 2, 3, 4});
  const std::array<Tensor, 2> both = {a, b};
  expect_values(stack(both, 0), {2, 2}, {1, 2, 3, 4});
  expect_values(stack(both, -1), {2, 2}, {1, 3, 2, 4});
}

TEST(Movement, Pad) {
  expect_values(pad(tensor({{1, 2}}), {1, 0}, {0, 2}, 9), {2, 4}, {9, 9, 9, 9, 1, 2, 9, 9});
}

TEST(Movement, TakeAndScatter) {
  const Tensor x = counting({3, 2});
  const Tensor at = tensor({2, 0, 2}).to(DType::i64);

  expect_values(take(x, at, 0), {3, 2}, {4, 5, 0, 1, 4, 5});
  expect_values(take(x, tensor({1}).to(DType::i32), 1), {3, 1}, {1, 3, 5});
  expect_values(index_add(zeros({3, 2}), 0, at, ones({3, 2})), {3, 2}, {1, 1, 0, 0, 2, 2});
}

TEST(Movement, OneHot) {
  const Tensor labels = tensor({2, 0}).to(DType::i64);

  EXPECT_EQ(one_hot(labels, 3).dtype(), DType::f32);
  expect_values(one_hot(labels, 3), {2, 3}, {0, 0, 1, 1, 0, 0});
}

}  // namespace
}  // namespace wick
