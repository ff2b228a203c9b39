#include "wick/ir/shape.h"

#include <gtest/gtest.h>

#include "wick/ir/type.h"

namespace wick {
namespace {

TEST(Shape, CopiesAndMovesInlineAndLongOnes) {
  for (const Shape& original : {Shape{}, Shape{1, 2, 3, 4}, Shape{1, 2, 3, 4, 5, 6}}) {
    Shape copy = original;
    const Shape moved = std::move(copy);
    Shape assigned{7, 7, 7, 7, 7};
    assigned = moved;

    EXPECT_EQ(moved, original);
    EXPECT_EQ(assigned, original);
    EXPECT_EQ(copy, Shape{});  // NOLINT(bugprone-use-after-move): left empty on purpose
  }
}

TEST(Shape, CountsElements) {
  EXPECT_EQ(Shape{}.numel(), 1);
  EXPECT_EQ((Shape{2, 3}).numel(), 6);
  EXPECT_EQ((Shape{2, 0, 3}).numel(), 0);
}

TEST(Shape, StridesAreRowMajor) {
  EXPECT_EQ(row_major_strides({2, 3, 4}), (std::vector<int64_t>{12, 4, 1}));
  EXPECT_EQ(row_major_strides({}), std::vector<int64_t>());
}

TEST(Shape, BroadcastsAsNumPy) {
  EXPECT_EQ(broadcast_shapes({2, 1}, {3}), (Shape{2, 3}));
  EXPECT_EQ(broadcast_shapes({}, {4, 1}), (Shape{4, 1}));
  EXPECT_EQ(broadcast_shapes({1}, {0}), (Shape{0}));
  EXPECT_EQ(broadcast_shapes({5, 1, 1, 1, 1}, {2, 3}), (Shape{5, 1, 1, 2, 3}));
  EXPECT_EQ(broadcast_shapes({2}, {3}), std::nullopt);
  EXPECT_EQ(broadcast_shapes({0}, {2}), std::nullopt);
}

TEST(Type, Prints) {
  EXPECT_EQ(to_string(Type{DType::f32, {64, 784}}), "f32[64,784]");
  EXPECT_EQ(to_string(Type{DType::bool_, {}}), "bool[]");
}

}  // namespace
}  // namespace wick
