#include "wick/tensor/indexing.h"

#include "expect_values.h"

namespace wick {
namespace {

using testing::expect_values;

Tensor counting(Shape shape) {
  return arange(shape.numel(), DType::f32).reshape(shape);
}

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

}  // namespace
}  // namespace wick
