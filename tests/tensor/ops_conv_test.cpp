#include "wick/tensor/ops_conv.h"

#include <string>

#include "expect_values.h"
#include "support/failing_call.h"
#include <gtest/gtest.h>

#include "wick/ir/error.h"
#include "wick/tensor/ops_interpolate.h"
#include "wick/tensor/ops_pool.h"

namespace wick {
namespace {

using testing_support::counting;
using testing_support::expect_values;
using testing_support::FailingCall;

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

class WindowMistakes : public ::testing::TestWithParam<FailingCall<>> {};

TEST_P(WindowMistakes, NameTheOpTheTypesAndTheCallersLine) {
  expect_failure(GetParam());
}

Tensor x() {
  return ones({1, 2, 3});
}

const FailingCall<> kWindowMistakes[] = {
    {[] { (void)conv1d(ones({2, 3, 4, 5}), ones({3, 3, 1})); },
     "conv1d: x must have 2 or 3 axes and w 3: x f32[2,3,4,5], w f32[3,3,1]"},
    {[] { (void)conv2d(ones({1, 1, 3, 3}, DType::i32), ones({1, 1, 1, 1})); },
     "conv2d: x must be floats, is i32[1,1,3,3]"},
    {[] { (void)conv1d(ones({1, 2, 3}), ones({4, 2, 1}), {.bias = ones({2})}); },
     "conv1d: bias must have the shape [4], is f32[2]"},
    {[] { (void)conv1d(x(), ones({4, 2, 1}), {.stride = {2}, .same_padding = true}); },
     "conv1d: same_padding needs stride 1, stride is [2]"},
    {[] { (void)conv_transpose1d(x(), ones({2, 4, 1}), {.stride = {2}, .output_padding = {2}}); },
     "conv_transpose1d: output_padding 2 must be less than stride 2 or dilation 1"},
    {[] { (void)conv_transpose1d(ones({1, 2, 3}), ones({3, 4, 1})); },
     "conv_transpose1d: channels differ: x f32[1,2,3] has 2, w f32[3,4,1] takes 3"},
    {[] { (void)unfold(ones({1, 1, 3, 3}), {.kernel = {4}}); },
     "unfold: a window of 4 does not fit into an axis of 3 with padding 0"},
    {[] { (void)fold(ones({1, 8, 9}), {3}, {.kernel = {2}}); },
     "fold: columns f32[1,8,9] must be [n, c 4, 4] for an output of [3, 3]"},
    {[] { (void)max_pool1d(ones({1, 1, 5}), {.kernel = {3}, .padding = {2}}); },
     "max_pool1d: padding 2 must be at most half of kernel 3"},
    {[] { (void)avg_pool2d(ones({1, 1, 3, 3}), {.kernel = {4}}); },
     "avg_pool2d: a window of 4 does not fit into f32[1,1,3,3] with padding 0"},
    {[] { (void)max_pool2d(ones({1, 1, 0, 3}), {.kernel = {1}}); },
     "max_pool2d: axis 2 of x f32[1,1,0,3] has no elements"},
    {[] { (void)max_pool3d(arange(4), {.kernel = {1}}); },
     "max_pool3d: x must be floats with 4 or 5 axes, is i64[4]"},
    {[] { (void)adaptive_avg_pool1d(ones({1, 1, 4}), {2, 2}); },
     "adaptive_avg_pool1d: output must be one number or 1, one an axis, has 2"},
    {[] { (void)interpolate(ones({1, 1, 4}), {}); },
     "interpolate: either size or scale_factor must be given"},
    {[] { (void)interpolate(ones({1, 1, 4}), {.scale_factor = {0.1}}); },
     "interpolate: cannot make 0 elements of axis 2 of x f32[1,1,4]"},
    {[] { (void)conv2d(Tensor(), ones({1, 1, 1, 1})); }, "conv2d: x must be floats, is undefined"},
    {[] { (void)conv2d(ones({1, 1, 3, 3}), Tensor()); }, "conv2d: w must be floats, is undefined"},
    {[] { (void)conv2d(ones({1, 1, 3, 3}), ones({1, 1, 1, 1}, DType::f64)); },
     "conv: dtypes differ: f32[1,1,3,3] and f64[1,1,1,1]"},
    {[] { (void)conv2d(ones({1, 2, 3, 3}), ones({1, 1, 1, 1})); },
     "conv: channels differ: x f32[1,2,3,3] has 2, w f32[1,1,1,1] takes 1 in 1 group"},
    {[] { (void)conv2d(ones({1, 1, 3, 3}), ones({1, 1, 4, 4})); },
     "conv: window of 4 is larger than axis 2 of f32[1,1,3,3] with padding 0"},
    {[] { (void)conv2d(ones({1, 1, 3, 3}), ones({1, 1, 1, 1}), {.stride = {0}}); },
     "conv2d: stride must be at least 1, is [0]"},
    {[] { (void)conv2d(ones({1, 1, 3, 3}), ones({1, 1, 1, 1}), {.stride = {1, 1, 1}}); },
     "conv2d: stride must be one number or 2, one an axis, is [1, 1, 1]"},
    {[] { (void)conv2d(ones({1, 1, 3, 3}), ones({1, 1, 1, 1}), {.padding = {-1}}); },
     "conv2d: padding must be at least 0, is [-1]"},
    {[] { (void)conv2d(ones({1, 1, 3, 3}), ones({1, 1, 1, 1}), {.dilation = {0}}); },
     "conv2d: dilation must be at least 1, is [0]"},
    {[] { (void)conv2d(ones({1, 2, 3, 3}), ones({3, 1, 1, 1}), {.groups = 2}); },
     "conv: 3 output channels of w f32[3,1,1,1] do not divide into 2 groups"},
    {[] { (void)conv2d(ones({1, 2, 3, 3}), ones({2, 2, 1, 1}), {.groups = 0}); },
     "conv: groups 0 is out of range"},
    {[] { (void)conv1d(ones({1, 2, 3}), ones({4, 2, 1}), {.bias = arange(4)}); },
     "conv1d: bias must be floats, is i64[4]"},
    {[] { (void)conv2d(ones({1, 1, 0, 3}), ones({1, 1, 1, 1})); },
     "conv: window of 1 is larger than axis 2 of f32[1,1,0,3] with padding 0"},
    {[] { (void)conv_transpose2d(ones({1, 2, 3, 3}), ones({2, 1, 1, 1}), {.groups = 3}); },
     "conv_input_grad: 2 output channels of w f32[2,1,1,1] do not divide into 3 groups"},
    {[] { (void)conv_transpose1d(ones({1, 2, 3}), ones({2, 1, 1}), {.padding = {5}}); },
     "conv_transpose1d: axis 2 of x f32[1,2,3] gives -7 elements with padding 5"},
    {[] { (void)unfold(ones({3}), {.kernel = {1}}); },
     "unfold: x must be [n,c,h,w] or [c,h,w], is f32[3]"},
    {[] { (void)unfold(ones({1, 1, 3, 3}), {.kernel = {0}}); },
     "unfold: kernel must be at least 1, is [0]"},
    {[] { (void)unfold(arange(4), {.kernel = {1}}); },
     "unfold: x must be [n,c,h,w] or [c,h,w], is i64[4]"},
    {[] { (void)fold(ones({3}), {3}, {.kernel = {2}}); },
     "fold: columns must be [n,c kh kw,l] or [c kh kw,l], are f32[3]"},
    {[] { (void)fold(ones({1, 8, 4}), {-3}, {.kernel = {2}}); },
     "fold: output must be at least 1, is [-3]"},
    {[] { (void)max_pool2d(Tensor(), {.kernel = {1}}); }, "max_pool2d: x is an undefined tensor"},
    {[] { (void)max_pool2d(ones({1, 1, 3, 3}), {.kernel = {0}}); },
     "max_pool2d: kernel 0, stride 0 and dilation 1 must be positive"},
    {[] { (void)max_pool2d(ones({1, 1, 3, 3}), {.kernel = {1, 1, 1}}); },
     "max_pool2d: kernel must be one number or 2, one an axis, has 3"},
    {[] { (void)avg_pool2d(ones({1, 1, 3, 3}), {.kernel = {1}, .divisor_override = 0}); },
     "avg_pool2d: divisor_override must not be 0"},
    {[] { (void)adaptive_max_pool2d(ones({1, 1, 0, 3}), {2}); },
     "adaptive_max_pool2d: axis 2 of x f32[1,1,0,3] has no elements"},
    {[] { (void)max_unpool2d(ones({1, 2, 2}), ones({1, 2, 2}), {4, 4}); },
     "max_unpool2d: indices must be integers of the shape of the values f32[1,2,2], are "
     "f32[1,2,2]"},
    {[] { (void)max_unpool2d(ones({1, 2, 2}), zeros({1, 2, 3}, DType::i64), {4, 4}); },
     "max_unpool2d: indices must be integers of the shape of the values f32[1,2,2], are "
     "i64[1,2,3]"},
    {[] { (void)interpolate(Tensor(), {.size = {2}}); },
     "interpolate: x must be floats with 3 to 5 axes, is undefined"},
    {[] { (void)interpolate(ones({4}), {.size = {2}}); },
     "interpolate: x must be floats with 3 to 5 axes, is f32[4]"},
    {[] { (void)interpolate(arange(4).reshape({1, 1, 4}), {.size = {2}}); },
     "interpolate: x must be floats with 3 to 5 axes, is i64[1,1,4]"},
    {[] { (void)interpolate(ones({1, 1, 4}), {.size = {2, 2}}); },
     "interpolate: size and scale_factor must be one number or 1, one an axis, of f32[1,1,4]"},
    {[] { (void)interpolate(ones({1, 1, 4}), {.size = {2}, .mode = Interpolation::cubic}); },
     "interpolate: cubic needs x with 4 axes, is f32[1,1,4]"},
};

INSTANTIATE_TEST_SUITE_P(All, WindowMistakes, ::testing::ValuesIn(kWindowMistakes));

}  // namespace
}  // namespace wick
