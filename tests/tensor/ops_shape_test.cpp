#include "wick/tensor/ops_shape.h"

#include <limits>

#include "expect_values.h"
#include "support/failing_call.h"

namespace wick {
namespace {

using testing_support::counting;
using testing_support::expect_values;
using testing_support::FailingCall;

std::string shapes_of(const std::vector<Tensor>& tensors) {
  std::string text;
  for (const Tensor& tensor : tensors)
    text += to_string(tensor.shape());
  return text;
}

TEST(Shape, Cutting) {
  const Tensor x = counting({7, 2});

  EXPECT_EQ(shapes_of(split(x, 3)), "[3,2][3,2][1,2]");
  EXPECT_EQ(shapes_of(split_with_sizes(x, {0, 5, 2})), "[0,2][5,2][2,2]");
  EXPECT_EQ(shapes_of(chunk(x, 4)), "[2,2][2,2][2,2][1,2]");
  EXPECT_EQ(shapes_of(chunk(x, 5)), "[2,2][2,2][2,2][1,2]");
  EXPECT_EQ(shapes_of(chunk(zeros({0}), 2)), "[0][0]");
  EXPECT_EQ(shapes_of(tensor_split(x, 3)), "[3,2][2,2][2,2]");
  EXPECT_EQ(shapes_of(tensor_split(x, 3, 1)), "[7,1][7,1][7,0]");
  EXPECT_EQ(shapes_of(unbind(x, -1)), "[7][7]");
  expect_values(narrow(x, 0, -2, 2), {2, 2}, {10, 11, 12, 13});
  expect_values(unfold(counting({5}), 0, 3, 2), {2, 3}, {0, 1, 2, 2, 3, 4});
  EXPECT_EQ(to_string(unfold(zeros({4, 6, 5}), 1, 2, 4).shape()), "[4,2,5,2]");
}

TEST(Shape, Joining) {
  const Tensor a = tensor({1, 2});
  const Tensor b = tensor({3, 4});
  const Tensor pair[] = {a, b};

  expect_values(hstack(pair), {4}, {1, 2, 3, 4});
  expect_values(vstack(pair), {2, 2}, {1, 2, 3, 4});
  expect_values(dstack(pair), {1, 2, 2}, {1, 3, 2, 4});
  expect_values(column_stack(pair), {2, 2}, {1, 3, 2, 4});
  expect_values(block({{a, scalar(5)}, {scalar(6), b}}), {2, 3}, {1, 2, 5, 6, 3, 4});
  const Tensor blocks[] = {ones({1, 2}), scalar(3), zeros({0, 1})};
  expect_values(block_diag(blocks), {2, 4}, {1, 1, 0, 0, 0, 0, 3, 0});
}

TEST(Shape, Repeating) {
  const Tensor x = counting({2, 2});

  expect_values(tile(tensor({1, 2}), {2, 1, 2}), {2, 1, 4}, {1, 2, 1, 2, 1, 2, 1, 2});
  expect_values(tile(x, {2}), {2, 4}, {0, 1, 0, 1, 2, 3, 2, 3});
  expect_values(repeat(x, {0, 1, 1}), {0, 2, 2}, {});
  expect_values(repeat_interleave(x, 2, 0), {4, 2}, {0, 1, 0, 1, 2, 3, 2, 3});
  expect_values(repeat_interleave(x, 2), {8}, {0, 0, 1, 1, 2, 2, 3, 3});
  const Tensor counts = tensor({2, 0, 1, 1}).to(DType::i32);
  expect_values(repeat_interleave(x, counts), {4}, {0, 0, 2, 3});
  const Tensor grid[] = {tensor({1, 2}), tensor({3, 4, 5})};
  expect_values(meshgrid(grid)[1], {2, 3}, {3, 4, 5, 3, 4, 5});
  expect_values(meshgrid(grid, GridIndexing::xy)[0], {3, 2}, {1, 2, 1, 2, 1, 2});
}

TEST(Shape, Turning) {
  const Tensor x = counting({2, 3});

  expect_values(flip(x), {2, 3}, {5, 4, 3, 2, 1, 0});
  expect_values(roll(x, {4}), {2, 3}, {2, 3, 4, 5, 0, 1});
  expect_values(roll(x, {1, -1}, {0, 1}), {2, 3}, {4, 5, 3, 1, 2, 0});
  expect_values(rot90(x), {3, 2}, {2, 5, 1, 4, 0, 3});
  expect_values(rot90(x, 2), {2, 3}, {5, 4, 3, 2, 1, 0});
  expect_values(rot90(x, -1), {3, 2}, {3, 0, 4, 1, 5, 2});
  EXPECT_EQ(to_string(movedim(zeros({2, 3, 4, 5}), {0, -1}, {2, 0}).shape()), "[5,3,2,4]");
  EXPECT_EQ(to_string(atleast_3d(zeros({2, 3})).shape()), "[2,3,1]");
  EXPECT_EQ(to_string(expand_dims(zeros({2, 3}), {0, -1}).shape()), "[1,2,3,1]");
  EXPECT_EQ(to_string(unflatten(zeros({2, 6}), 1, {3, -1}).shape()), "[2,3,2]");
  EXPECT_EQ(to_string(squeeze(zeros({1, 3, 1})).shape()), "[3]");
}

TEST(Shape, Borders) {
  const Tensor x = tensor({1, 2, 3});

  expect_values(pad(x, {2}, {1}, PadMode::reflect), {6}, {3, 2, 1, 2, 3, 2});
  expect_values(pad(x, {2}, {3}, PadMode::symmetric), {8}, {2, 1, 1, 2, 3, 3, 2, 1});
  expect_values(pad(x, {1}, {4}, PadMode::replicate), {8}, {1, 1, 2, 3, 3, 3, 3, 3});
  expect_values(pad(x, {3}, {2}, PadMode::circular), {8}, {1, 2, 3, 1, 2, 3, 1, 2});
  expect_values(pad(x, {-1}, {1}, PadMode::reflect), {3}, {2, 3, 3 - 1});
}

TEST(Shape, DiagonalsOfAnyOffset) {
  const Tensor x = counting({3, 4});

  expect_values(diagonal(x, 2), {2}, {2, 7});
  expect_values(diagonal(x, -2), {1}, {8});
  expect_values(diagonal(x, -3), {0}, {});
  EXPECT_EQ(trace(x.to(DType::i8)).item<int>(), 15);
  for (const int64_t offset : {-3, -1, 0, 1, 4}) {
    const Tensor matrix = diag(tensor({1, 2}), offset);
    expect_values(diagonal(matrix, offset), {2}, {1, 2});
    EXPECT_EQ(matrix.sum().item<int>(), 3);
  }
  expect_values(diag_embed(zeros({2, 0}), 1), {2, 1, 1}, {0, 0});
  EXPECT_EQ(to_string(diag_embed(zeros({2, 3}), -1, 0, 2).shape()), "[4,2,4]");
}

TEST(Shape, TrianglesOfAnyOffset) {
  const int64_t extremes[] = {
      std::numeric_limits<int64_t>::min(), -4, -1, 0, 2, 4, std::numeric_limits<int64_t>::max()};
  const Tensor x = ones({3, 4}) / Tensor(zeros({3, 4}));  // what is cut off is no part of it
  for (const int64_t offset : extremes) {
    const Tensor lower = tril_indices(3, 4, offset);
    const Tensor upper = triu_indices(3, 4, offset);
    const Tensor kept = tril(x, offset) > 0;
    EXPECT_EQ(lower.size(1), kept.sum().item<int64_t>()) << offset;
    EXPECT_EQ(upper.size(1), (triu(x, offset) > 0).sum().item<int64_t>()) << offset;
  }
  expect_values(tril_indices(2, 3, 1), {2, 5}, {0, 0, 1, 1, 1, 0, 1, 0, 1, 2});
}

TEST(Shape, PositionsAndDifferences) {
  const Tensor at = tensor({5, 0, 7}).to(DType::i64);
  const std::vector<Tensor> apart = unravel_index(at, {2, 4});

  expect_values(apart[0], {3}, {1, 0, 1});
  expect_values(apart[1], {3}, {1, 0, 3});
  expect_values(ravel_multi_index(apart, {2, 4}), {3}, {5, 0, 7});
  expect_values(diff(tensor({1, 4, 9, 16}), 2), {2}, {2, 2});
  expect_values(diff(tensor({1}), 3), {0}, {});
  expect_values(diff(tensor({1, 0, 0}).to(DType::bool_)), {2}, {1, 0});
}

class ShapeErrors : public ::testing::TestWithParam<FailingCall<const Tensor&>> {};

TEST_P(ShapeErrors, NameTheOpWhatIsWrongAndTheLine) {
  expect_failure(GetParam(), zeros({2, 3}));
}

constexpr int64_t kHuge = int64_t{1} << 40;

Tensor whole() {
  return tensor({1, 2, 3}).to(DType::i32);
}

const FailingCall<const Tensor&> kShapeMistakes[] = {
    {[](const Tensor& x) { (void)unflatten(x, 1, {2, 2}); },
     "reshape: f32[3] has 3 elements, shape [2,2] has 4"},
    {[](const Tensor& x) { (void)unflatten(x, 3, {3}); },
     "unflatten: axis 3 is out of range for f32[2,3]"},
    {[](const Tensor& x) { (void)unflatten(x, 1, {-1, -1}); },
     "reshape: shape [-1,-1] has two free extents"},
    {[](const Tensor& x) { (void)squeeze(x, Axes{1, 0}); },
     "squeeze: cannot remove axis 0 of f32[2,3], whose extent is 2"},
    {[](const Tensor& x) { (void)squeeze(x, Axes{0, 0}); },
     "squeeze: axis 0 is named twice for f32[2,3]"},
    {[](const Tensor& x) { (void)expand_dims(x, {0, 0}); },
     "expand_dims: axis 0 is named twice for f32[1,1,1,1]"},
    {[](const Tensor& x) { (void)expand_dims(x, {5}); },
     "expand_dims: cannot insert axis 5 among [5] into f32[2,3]"},
    {[](const Tensor& x) { (void)pad(x, {0, 3}, {0, 0}, PadMode::reflect); },
     "pad: axis 1 of f32[2,3] has not enough elements for a border of 3"},
    {[](const Tensor& x) { (void)pad(x, {0, -2}, {0, -2}, PadMode::circular); },
     "pad: low -2, high -2 crop more than axis 1 of f32[2,3]"},
    {[](const Tensor& x) { (void)pad(x, {1}, {1}, PadMode::replicate); },
     "pad: low [1] and high [1] should have a number for each axis of f32[2,3]"},
    {[](const Tensor&) { (void)pad(zeros({0, 2}), {1, 0}, {0, 0}, PadMode::replicate); },
     "pad: axis 0 of f32[0,2] has not enough elements for a border of 1"},
    {[](const Tensor& x) { (void)split(x, 2, 5); }, "split: axis 5 is out of range for f32[2,3]"},
    {[](const Tensor& x) { (void)split(x, 0); }, "split: the size should be positive, got 0"},
    {[](const Tensor&) { (void)split(Tensor(), 1); }, "split: an operand is an undefined tensor"},
    {[](const Tensor& x) { (void)split_with_sizes(x, {1, 2}); },
     "split_with_sizes: sizes [1,2] do not add up to axis 0 of f32[2,3]"},
    {[](const Tensor& x) { (void)split_with_sizes(x, {-1, 3}); },
     "split_with_sizes: sizes [-1,3] do not add up to axis 0 of f32[2,3]"},
    {[](const Tensor& x) { (void)chunk(x, 0); }, "chunk: the count should be positive, got 0"},
    {[](const Tensor& x) { (void)chunk(x, 2, 2); }, "chunk: axis 2 is out of range for f32[2,3]"},
    {[](const Tensor& x) { (void)tensor_split(x, 0); },
     "tensor_split: the count should be positive, got 0"},
    {[](const Tensor&) { (void)unbind(Tensor()); }, "unbind: an operand is an undefined tensor"},
    {[](const Tensor&) { (void)unbind(scalar(1)); }, "unbind: axis 0 is out of range for f32[]"},
    {[](const Tensor& x) { (void)narrow(x, 1, 2, 2); },
     "narrow: 2 elements from 2 on leave axis 1 of f32[2,3]"},
    {[](const Tensor& x) { (void)narrow(x, 1, 0, -1); },
     "narrow: -1 elements from 0 on leave axis 1 of f32[2,3]"},
    {[](const Tensor& x) { (void)narrow(x, 2, 0, 1); },
     "narrow: axis 2 is out of range for f32[2,3]"},
    {[](const Tensor& x) { (void)unfold(x, 1, 4, 1); },
     "unfold: no windows of 4 elements, 1 apart, along axis 1 of f32[2,3]"},
    {[](const Tensor& x) { (void)unfold(x, 1, 2, 0); },
     "unfold: no windows of 2 elements, 0 apart, along axis 1 of f32[2,3]"},
    {[](const Tensor&) { (void)hstack({}); }, "concat: no tensors"},
    {[](const Tensor&) { (void)vstack({}); }, "concat: no tensors"},
    {[](const Tensor& x) { (void)hstack(std::vector{x, ones({3})}); },
     "concat: f32[2,3] and f32[3] differ beside axis 1"},
    {[](const Tensor&) { (void)column_stack(std::vector{ones({2}), ones({3})}); },
     "concat: f32[2,1] and f32[3,1] differ beside axis 1"},
    {[](const Tensor&) { (void)block({}); }, "concat: no tensors"},
    {[](const Tensor& x) { (void)block({{x}, {}}); }, "concat: no tensors"},
    {[](const Tensor&) { (void)block_diag({}); }, "concat: no tensors"},
    {[](const Tensor&) { (void)block_diag(std::vector{ones({2, 2, 2})}); },
     "block_diag: needs matrices, got f32[2,2,2]"},
    {[](const Tensor& x) { (void)tile(x, {-1}); }, "tile: cannot repeat -1 times"},
    {[](const Tensor& x) { (void)tile(x, {kHuge, kHuge}); },
     "broadcast: shape [1099511627776,2,1099511627776,3] has too many elements"},
    {[](const Tensor& x) { (void)repeat(x, {2}); },
     "repeat: [2] should have a number for each axis of f32[2,3]"},
    {[](const Tensor& x) { (void)repeat(x, {2, -2}); }, "tile: cannot repeat -2 times"},
    {[](const Tensor& x) { (void)repeat_interleave(x, -1, 0); },
     "repeat_interleave: cannot repeat -1 times"},
    {[](const Tensor& x) { (void)repeat_interleave(x, ones({3}), 1); },
     "repeat_interleave: needs integers, got f32[3]"},
    {[](const Tensor& x) { (void)repeat_interleave(x, whole(), 0); },
     "repeat_interleave: i32[3] should have a number for each position of axis 0 of f32[2,3]"},
    {[](const Tensor& x) { (void)repeat_interleave(x, whole() * -1, 1); },
     "repeat_interleave: cannot repeat -1 times"},
    {[](const Tensor& x) { (void)expand(x, {-1, 2, 3}); },
     "expand: axis 0 of shape [-1,2,3] is not one of f32[2,3]"},
    {[](const Tensor& x) { (void)expand(x, {3}); },
     "broadcast: f32[2,3] does not broadcast to [3]"},
    {[](const Tensor& x) { (void)expand(x, {4, 3}); },
     "broadcast: f32[2,3] does not broadcast to [4,3]"},
    {[](const Tensor& x) { (void)broadcast_tensors(std::vector{x, ones({2})}); },
     "broadcast_tensors: f32[2] does not broadcast with those before it, [2,3]"},
    {[](const Tensor& x) { (void)broadcast_tensors(std::vector{x, Tensor()}); },
     "broadcast_tensors: an operand is an undefined tensor"},
    {[](const Tensor& x) { (void)meshgrid(std::vector{x}); },
     "meshgrid: needs vectors, got f32[2,3]"},
    {[](const Tensor&) { (void)meshgrid(std::vector{Tensor()}); },
     "meshgrid: an operand is an undefined tensor"},
    {[](const Tensor& x) { (void)flip(x, {0, -2}); }, "flip: axis 0 is named twice for f32[2,3]"},
    {[](const Tensor& x) { (void)flip(x, {2}); }, "flip: axis 2 is out of range for f32[2,3]"},
    {[](const Tensor&) { (void)fliplr(ones({3})); }, "fliplr: needs 2 or more axes, got f32[3]"},
    {[](const Tensor&) { (void)flipud(scalar(1)); }, "flipud: needs 1 or more axes, got f32[]"},
    {[](const Tensor& x) { (void)roll(x, {1, 2}, {0}); },
     "roll: shifts [1,2] should be as many as axes [0]"},
    {[](const Tensor& x) { (void)roll(x, {1}, {2}); }, "roll: axis 2 is out of range for f32[2,3]"},
    {[](const Tensor&) { (void)rot90(ones({3})); }, "rot90: axis 1 is out of range for f32[3]"},
    {[](const Tensor& x) { (void)rot90(x, 1, 0, 0); }, "rot90: axis 0 is named twice for f32[2,3]"},
    {[](const Tensor& x) { (void)movedim(x, {0}, {0, 1}); },
     "movedim: axes [0] should be as many as their places [0,1]"},
    {[](const Tensor& x) { (void)movedim(x, {0, 0}, {0, 1}); },
     "movedim: axis 0 is named twice for f32[2,3]"},
    {[](const Tensor& x) { (void)movedim(x, {2}, {0}); },
     "movedim: axis 2 is out of range for f32[2,3]"},
    {[](const Tensor& x) { (void)swapaxes(x, 0, 2); },
     "permute: axis 2 is out of range for f32[2,3]"},
    {[](const Tensor& x) { (void)pixel_shuffle(x, 2); },
     "pixel_shuffle: needs 3 or more axes, got f32[2,3]"},
    {[](const Tensor&) { (void)pixel_shuffle(ones({1, 2, 3}), 2); },
     "pixel_shuffle: factor 2 does not divide f32[1,2,3]"},
    {[](const Tensor&) { (void)pixel_shuffle(ones({4, 2, 3}), 0); },
     "pixel_shuffle: factor 0 does not divide f32[4,2,3]"},
    {[](const Tensor&) { (void)pixel_unshuffle(ones({1, 2, 3}), 2); },
     "pixel_unshuffle: factor 2 does not divide f32[1,2,3]"},
    {[](const Tensor&) { (void)tril(ones({3})); }, "tril: needs 2 or more axes, got f32[3]"},
    {[](const Tensor&) { (void)triu(Tensor()); }, "triu: an operand is an undefined tensor"},
    {[](const Tensor& x) { (void)diagonal(x, 0, 1, -1); },
     "diagonal: axis 1 is named twice for f32[2,3]"},
    {[](const Tensor&) { (void)diagonal(ones({3})); },
     "diagonal: axis 1 is out of range for f32[3]"},
    {[](const Tensor& x) { (void)diagonal(x, 0, 0, 2); },
     "diagonal: axis 2 is out of range for f32[2,3]"},
    {[](const Tensor& x) { (void)diag_embed(x, kHuge); },
     "diag_embed: a matrix with 3 elements on diagonal 1099511627776 is too large"},
    {[](const Tensor& x) { (void)diag_embed(x, 0, 0, 0); },
     "diag_embed: axis 0 is named twice for f32[2,3,3]"},
    {[](const Tensor&) { (void)diag(ones({1, 1, 1})); },
     "diag: needs a vector or a matrix, got f32[1,1,1]"},
    {[](const Tensor&) { (void)trace(ones({3})); }, "trace: needs 2 or more axes, got f32[3]"},
    {[](const Tensor&) { (void)trace(Tensor()); }, "trace: an operand is an undefined tensor"},
    {[](const Tensor& x) { (void)unravel_index(x, {2, 3}); },
     "unravel_index: needs integers, got f32[2,3]"},
    {[](const Tensor&) { (void)unravel_index(whole(), {2, -3}); },
     "unravel_index: shape [2,-3] has a negative extent"},
    {[](const Tensor&) { (void)ravel_multi_index(std::vector{whole()}, {2, 3}); },
     "ravel_multi_index: 1 tensors for the axes of [2,3]"},
    {[](const Tensor& x) { (void)ravel_multi_index(std::vector{x, x}, {2, 3}); },
     "ravel_multi_index: needs integers, got f32[2,3]"},
    {[](const Tensor& x) { (void)diff(x, -1); }, "diff: cannot take differences -1 times"},
    {[](const Tensor& x) { (void)diff(x, 1, 2); }, "diff: axis 2 is out of range for f32[2,3]"},
    {[](const Tensor&) { (void)diff(scalar(1)); }, "diff: axis -1 is out of range for f32[]"},
};

INSTANTIATE_TEST_SUITE_P(All, ShapeErrors, ::testing::ValuesIn(kShapeMistakes));

}  // namespace
}  // namespace wick
