#include "wick/tensor/ops_conv.h"

#include <string>

#include "expect_values.h"
#include <gtest/gtest.h>

#include "wick/ir/error.h"
#include "wick/tensor/ops_interpolate.h"
#include "wick/tensor/ops_pool.h"

namespace wick {
namespace {

using testing::expect_values;

Tensor counting(Shape shape) {
  return arange(shape.numel(), DType::f32).reshape(shape);
}

TEST(Conv, TakesOneSampleAndOneNumberForAllAxes) {
  const Tensor x = counting({1, 3, 3});

  expect_values(
      conv2d(x, ones({1, 1, 2, 2}), {.stride = {2}, .padding = {1}}), {1, 2, 2}, {0, 3, 9, 24});
}

TEST(Conv, SamePaddingPutsTheOddElementBehind) {
  const Tensor x = tensor({1, 2, 3}).reshape({1, 1, 3});

  expect_values(conv1d(x, ones({1, 1, 2}), {.same_padding = true}), {1, 1, 3}, {3, 5, 3});
}

TEST(Conv, PadsWithWhatTheModeSays) {
  const Tensor x = tensor({1, 2, 3}).reshape({1, 1, 3});
  const auto sums = [&](PadMode mode) {
    return conv1d(x, ones({1, 1, 3}), {.padding = {1}, .pad_mode = mode});
  };

  expect_values(sums(PadMode::circular), {1, 1, 3}, {6, 6, 6});
  expect_values(sums(PadMode::reflect), {1, 1, 3}, {5, 6, 7});
  expect_values(sums(PadMode::replicate), {1, 1, 3}, {4, 6, 8});
}

TEST(Conv, HalvesKeepTheirType) {
  const Tensor x = cast(counting({1, 1, 3, 3}), DType::bf16);
  const Tensor y = conv2d(x, ones({1, 1, 3, 3}, DType::bf16), {});

  EXPECT_EQ(y.dtype(), DType::bf16);
  EXPECT_EQ(y.item<float>(), 36);
}

TEST(ConvTranspose, CropsWhatTheOutputPaddingReaches) {
  const Tensor x = tensor({1, 10}).reshape({1, 1, 2});
  const ConvTransposeOptions options{.padding = {1}, .output_padding = {1}, .dilation = {2}};

  // The whole result is 1 10 1 10, its borders cut off but for one element behind.
  expect_values(conv_transpose1d(x, ones({1, 1, 2}), options), {1, 1, 3}, {10, 1, 10});
}

TEST(MaxPool, GivesIndicesThatUnpoolTakes) {
  const Tensor x = tensor({1, 5, 2, 3, 4, 4, 9, 0, 7, 6, 8, 1}).reshape({1, 3, 4});

  const IndexedPool pool = max_pool2d_with_indices(x, {.kernel = {2}, .ceil_mode = true});

  expect_values(pool.values, {1, 2, 2}, {5, 9, 7, 8});
  expect_values(pool.indices, {1, 2, 2}, {1, 6, 8, 10});
  expect_values(max_unpool2d(pool.values, pool.indices, {3, 4}),
                {1, 3, 4},
                {0, 5, 0, 0, 0, 0, 9, 0, 7, 0, 8, 0});
}

struct Mistake {
  const char* name;
  void (*make)(Where);
  const char* message;
};

class WindowMistakes : public ::testing::TestWithParam<Mistake> {};

TEST_P(WindowMistakes, NameTheOpTheTypesAndTheCallersLine) {
  const Where here = Where::current();

  try {
    GetParam().make(here);
    FAIL() << "no Error was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.op() + ": " + error.text(), GetParam().message);
    EXPECT_EQ(error.where().line, here.line());
  }
}

constexpr Mistake kMistakes[] = {
    {"conv_of_another_rank",
     [](Where w) { static_cast<void>(conv1d(ones({2, 3, 4, 5}), ones({3, 3, 1}), {}, w)); },
     "conv1d: x must have 2 or 3 axes and w 3: x f32[2,3,4,5], w f32[3,3,1]"},
    {"conv_of_integers",
     [](Where w) {
       static_cast<void>(conv2d(ones({1, 1, 3, 3}, DType::i32), ones({1, 1, 1, 1}), {}, w));
     },
     "conv2d: x must be floats, is i32[1,1,3,3]"},
    {"bias_of_other_channels",
     [](Where w) {
       static_cast<void>(conv1d(ones({1, 2, 3}), ones({4, 2, 1}), {.bias = ones({2})}, w));
     },
     "conv1d: bias must have the shape [4], is f32[2]"},
    {"same_padding_with_a_stride",
     [](Where w) {
       const ConvOptions options{.stride = {2}, .same_padding = true};
       static_cast<void>(conv1d(ones({1, 2, 3}), ones({4, 2, 1}), options, w));
     },
     "conv1d: same_padding needs stride 1, stride is [2]"},
    {"output_padding_of_a_stride",
     [](Where w) {
       const ConvTransposeOptions options{.stride = {2}, .output_padding = {2}};
       static_cast<void>(conv_transpose1d(ones({1, 2, 3}), ones({2, 4, 1}), options, w));
     },
     "conv_transpose1d: output_padding 2 must be less than stride 2 or dilation 1"},
    {"channels_of_a_transposed_conv",
     [](Where w) { static_cast<void>(conv_transpose1d(ones({1, 2, 3}), ones({3, 4, 1}), {}, w)); },
     "conv_transpose1d: channels differ: x f32[1,2,3] has 2, w f32[3,4,1] takes 3"},
    {"unfold_of_large_windows",
     [](Where w) { static_cast<void>(unfold(ones({1, 1, 3, 3}), {.kernel = {4}}, w)); },
     "unfold: a window of 4 does not fit into an axis of 3 with padding 0"},
    {"fold_of_other_columns",
     [](Where w) { static_cast<void>(fold(ones({1, 8, 9}), {3}, {.kernel = {2}}, w)); },
     "fold: columns f32[1,8,9] must be [n, c 4, 4] for an output of [3, 3]"},
    {"pool_with_too_much_padding",
     [](Where w) {
       static_cast<void>(max_pool1d(ones({1, 1, 5}), {.kernel = {3}, .padding = {2}}, w));
     },
     "max_pool1d: padding 2 must be at most half of kernel 3"},
    {"pool_larger_than_its_input",
     [](Where w) { static_cast<void>(avg_pool2d(ones({1, 1, 3, 3}), {.kernel = {4}}, w)); },
     "avg_pool2d: a window of 4 does not fit into f32[1,1,3,3] with padding 0"},
    {"pool_of_nothing",
     [](Where w) { static_cast<void>(max_pool2d(ones({1, 1, 0, 3}), {.kernel = {1}}, w)); },
     "max_pool2d: axis 2 of x f32[1,1,0,3] has no elements"},
    {"pool_of_integers",
     [](Where w) { static_cast<void>(max_pool3d(arange(4), {.kernel = {1}}, w)); },
     "max_pool3d: x must be floats with 4 or 5 axes, is i64[4]"},
    {"adaptive_pool_of_many_numbers",
     [](Where w) { static_cast<void>(adaptive_avg_pool1d(ones({1, 1, 4}), {2, 2}, w)); },
     "adaptive_avg_pool1d: output must be one number or 1, one an axis, has 2"},
    {"interpolation_without_a_size",
     [](Where w) { static_cast<void>(interpolate(ones({1, 1, 4}), {}, w)); },
     "interpolate: either size or scale_factor must be given"},
    {"interpolation_to_nothing",
     [](Where w) { static_cast<void>(interpolate(ones({1, 1, 4}), {.scale_factor = {0.1}}, w)); },
     "interpolate: cannot make 0 elements of axis 2 of x f32[1,1,4]"},
};

INSTANTIATE_TEST_SUITE_P(Windows,
                         WindowMistakes,
                         ::testing::ValuesIn(kMistakes),
                         [](const auto& mistake) { return std::string(mistake.param.name); });

}  // namespace
}  // namespace wick
