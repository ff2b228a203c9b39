// What op functions refuse, by family: the whole message and the caller's line. Families with a
// test of their own have their mistakes there.

#include <array>
#include <cmath>
#include <span>

#include "expect_values.h"
#include "support/failing_call.h"
#include <fmt/format.h>

#include "wick/wick.h"

namespace wick {
namespace {

using testing_support::FailingCall;

constexpr int64_t kHuge = int64_t{1} << 40;
constexpr std::array<float, 2> kTwo = {1, 2};

Tensor x() {
  return zeros({2, 3});
}

Tensor whole() {
  return tensor({1, 2, 3}).to(DType::i32);
}

Tensor none() {
  return {};
}

TEST(ErrorText, BeginsWithThePlaceAndTheOp) {
  const uint32_t line = __LINE__ + 2;
  try {
    (void)(x() + ones({2}));
    FAIL() << "no error";
  } catch (const Error& error) {
    const Location& at = error.where();
    EXPECT_GT(at.column, 0U);
    EXPECT_EQ(error.what(),
              fmt::format("{}:{}:{}: error: add: shapes do not broadcast: f32[2,3] and f32[2]",
                          __FILE__,
                          line,
                          at.column));
  }
}

class Errors : public ::testing::TestWithParam<FailingCall<>> {};

TEST_P(Errors, NameTheOpTheValuesAndTheLine) {
  expect_failure(GetParam());
}

class AssignmentErrors : public ::testing::TestWithParam<FailingCall<Tensor&>> {};

TEST_P(AssignmentErrors, NameTheLineAndKeepTheValue) {
  const Tensor before = x();
  Tensor value = before;

  expect_failure(GetParam(), value);

  EXPECT_EQ(value.node(), before.node());
}

const FailingCall<Tensor&> kAssignments[] = {
    {[](Tensor& y) { y += ones({2}); }, "add: shapes do not broadcast: f32[2,3] and f32[2]"},
    {[](Tensor& y) { y *= none(); }, "mul: operand 2 is an undefined tensor"},
};

INSTANTIATE_TEST_SUITE_P(Compound, AssignmentErrors, ::testing::ValuesIn(kAssignments));

const FailingCall<> kElementwise[] = {
    {[] { (void)exp(none()); }, "exp: operand 1 is an undefined tensor"},
    {[] { (void)(none() + x()); }, "add: operand 1 is an undefined tensor"},
    {[] { (void)(x() - none()); }, "sub: operand 2 is an undefined tensor"},
    {[] { (void)(x() + ones({2})); }, "add: shapes do not broadcast: f32[2,3] and f32[2]"},
    {[] { (void)fmod(x(), none()); }, "fmod: operand 2 is an undefined tensor"},
    {[] { (void)fmod(none(), 2); }, "fmod: operand 1 is an undefined tensor"},
    {[] { (void)atan2(x(), ones({2})); }, "atan2: shapes do not broadcast: f32[2,3] and f32[2]"},
    {[] { (void)where(x() > 0, x(), none()); }, "where: operand 3 is an undefined tensor"},
    {[] { (void)where(x(), x(), x()); }, "where: condition should be bool, got f32[2,3]"},
    {[] { (void)where(x() > 0, ones({2}), x()); },
     "where: shapes do not broadcast: bool[2,3], f32[2] and f32[2,3]"},
    {[] { (void)maximum(1, 2); }, "maximum: at least one operand must be a tensor"},
    {[] { (void)(x() & x()); }, "bit_and: needs an integer or bool operand, got f32[2,3]"},
    {[] { (void)bitwise_left_shift(x(), x()); },
     "shift_left: needs an integer operand, got f32[2,3]"},
    {[] { (void)bitwise_not(x()); }, "bit_xor: needs an integer or bool operand, got f32[2,3]"},
    {[] { (void)(whole() + 3000000000); },
     "add: the number 3000000000 does not fit i32[3]; cast the tensor first"},
    {[] { (void)cast(none(), DType::f32); }, "cast: operand 1 is an undefined tensor"},
    {[] { (void)bitcast(x(), DType::f64); }, "bitcast: the bits of f32[2,3] are none of f64"},
    {[] { (void)bitcast(x() > 0, DType::u8); }, "bitcast: the bits of bool[2,3] are none of u8"},
    {[] { (void)bitcast(x().to(DType::u8), DType::bool_); },
     "bitcast: the bits of u8[2,3] are none of bool"},
    {[] { (void)isfinite(none()); }, "isfinite: operand 1 is an undefined tensor"},
    {[] { (void)polygamma(-1, x()); }, "polygamma: n is -1; it must not be negative"},
    {[] { (void)celu(x(), 0); }, "celu: alpha is 0; it must not be"},
    {[] { (void)prelu(x(), ones({2})); },
     "prelu: the weight f32[2] fits neither the 3 channels of f32[2,3] nor all of them"},
    {[] { (void)prelu(x(), none()); }, "prelu: operand 1 is an undefined tensor"},
    {[] { (void)glu(x(), 2); }, "glu: axis 2 is out of range for f32[2,3]"},
    {[] { (void)glu(x(), -1); }, "glu: the extent 3 of axis -1 of f32[2,3] is odd"},
    {[] { (void)nextafter(x(), ones({2})); },
     "nextafter: shapes do not broadcast: f32[2,3] and f32[2]"},
    {[] { (void)heaviside(x(), none()); }, "heaviside: operand 2 is an undefined tensor"},
    {[] { (void)ldexp(x(), ones({2})); }, "ldexp: shapes do not broadcast: f32[2,3] and f32[2]"},
    {[] { (void)xlogy(x(), ones({2})); }, "xlogy: shapes do not broadcast: f32[2,3] and f32[2]"},
    {[] { (void)logaddexp(1, 2); }, "logaddexp: at least one operand must be a tensor"},
    {[] { (void)lerp(x(), ones({2}), 0.5); }, "lerp: shapes do not broadcast: f32[2,3] and f32[2]"},
    {[] { (void)addcmul(x(), ones({2}), x()); },
     "mul: shapes do not broadcast: f32[2] and f32[2,3]"},
    {[] { (void)isclose(x(), ones({2})); },
     "isclose: shapes do not broadcast: f32[2,3] and f32[2]"},
    {[] { (void)allclose(x(), ones({2})); },
     "isclose: shapes do not broadcast: f32[2,3] and f32[2]"},
    {[] { (void)masked_fill(x(), x(), 1); }, "masked_fill: the mask should be bool, got f32[2,3]"},
    {[] { (void)masked_fill(x(), ones({2}) > 0, 1); },
     "where: shapes do not broadcast: bool[2], f32[] and f32[2,3]"},
    {[] { (void)masked_fill(whole(), whole() > 0, 0.5); },
     "where: the number 0.5 does not fit i32[3]; cast the tensor first"},
    {[] { (void)floor_divide(x(), ones({2})); },
     "div: shapes do not broadcast: f32[2,3] and f32[2]"},
    {[] { (void)floor_divide(none(), x()); }, "div: operand 1 is an undefined tensor"},
    {[] { (void)div(x(), ones({2}), Rounding::floor); },
     "div: shapes do not broadcast: f32[2,3] and f32[2]"},
    {[] { (void)pow(x(), none()); }, "pow: operand 2 is an undefined tensor"},
    {[] { (void)logit(none()); }, "logit: operand 1 is an undefined tensor"},
    {[] { (void)round(none(), 2); }, "round: operand 1 is an undefined tensor"},
    {[] { (void)nan_to_num(none()); }, "nan_to_num: operand 1 is an undefined tensor"},
    {[] { (void)matmul(ones({2, 3}), ones({2, 3})); },
     "matmul: inner extents differ: lhs f32[2,3] has k = 3, rhs f32[2,3] has k = 2"},
    {[] { (void)matmul(scalar(1), ones({2, 3})); },
     "matmul: operands should have 2 axes or more: f32[] and f32[2,3]"},
    {[] { (void)matmul(Tensor(), ones({2, 3})); }, "matmul: operand 1 is an undefined tensor"},
    {[] { (void)matmul(ones({2, 2, 3}), ones({3, 3, 4})); },
     "matmul: leading axes do not broadcast: f32[2,2,3] and f32[3,3,4]"},
};

INSTANTIATE_TEST_SUITE_P(Elementwise, Errors, ::testing::ValuesIn(kElementwise));

const FailingCall<> kReductions[] = {
    {[] { (void)sum(none()); }, "reduce_sum: operand 1 is an undefined tensor"},
    {[] { (void)sum(x(), {2}); }, "reduce_sum: axis 2 is out of range for f32[2,3]"},
    {[] { (void)sum(x(), {0, -2}); }, "reduce_sum: axis 0 is named twice for f32[2,3]"},
    {[] { (void)mean(x(), {-3}); }, "mean: axis -3 is out of range for f32[2,3]"},
    {[] { (void)prod(x(), {5}); }, "reduce_prod: axis 5 is out of range for f32[2,3]"},
    {[] { (void)max(zeros({0, 3})); },
     "reduce_max: no elements to reduce in f32[0,3] over axes [0,1]"},
    {[] { (void)max(zeros({2, 0}), {1}); },
     "reduce_max: no elements to reduce in f32[2,0] over axes [1]"},
    {[] { (void)min(zeros({0})); }, "reduce_min: no elements to reduce in f32[0] over axes [0]"},
    {[] { (void)argmax(zeros({0}), 0); }, "argmax: no elements to reduce in f32[0] over axes [0]"},
    {[] { (void)argmax(zeros({2, 0}), 1); },
     "argmax: no elements to reduce in f32[2,0] over axes [1]"},
    {[] { (void)argmax(x(), 2); }, "argmax: axis 2 is out of range for f32[2,3]"},
    {[] { (void)argmin(none(), 0); }, "argmin: operand 1 is an undefined tensor"},
    {[] { (void)amax(zeros({0})); }, "reduce_max: no elements to reduce in f32[0] over axes [0]"},
    {[] { (void)ptp(zeros({0})); }, "reduce_min: no elements to reduce in f32[0] over axes [0]"},
    {[] { (void)max_with_index(zeros({0, 3}), 0); },
     "argmax: no elements to reduce in f32[0,3] over axes [0]"},
    {[] { (void)max_with_index(x(), 2); }, "max_with_index: axis 2 is out of range for f32[2,3]"},
    {[] { (void)var(none()); }, "var: operand 1 is an undefined tensor"},
    {[] { (void)var(x(), {4}); }, "var: axis 4 is out of range for f32[2,3]"},
    {[] { (void)wick::std(x(), {.axes = {4}}); }, "std: axis 4 is out of range for f32[2,3]"},
    {[] { (void)std_mean(none()); }, "std_mean: operand 1 is an undefined tensor"},
    {[] { (void)var_mean(x(), {.axes = {1, 1}}); }, "var_mean: axis 1 is named twice for f32[2,3]"},
    {[] { (void)norm(none()); }, "norm: operand 1 is an undefined tensor"},
    {[] { (void)norm(x(), 2, {3}); }, "norm: axis 3 is out of range for f32[2,3]"},
    {[] { (void)norm(zeros({0}), -INFINITY); },
     "reduce_min: no elements to reduce in f32[0] over axes [0]"},
    {[] { (void)normalize(ones({3})); }, "normalize: axis 1 is out of range for f32[3]"},
    {[] { (void)normalize(none()); }, "normalize: operand 1 is an undefined tensor"},
    {[] { (void)cosine_similarity(ones({3}), ones({4}), 0); },
     "cosine_similarity: shapes do not broadcast: f32[3] and f32[4]"},
    {[] { (void)cosine_similarity(ones({3}), ones({3})); },
     "cosine_similarity: axis 1 is out of range for f32[3]"},
    {[] { (void)cosine_similarity(ones({3}), none()); },
     "cosine_similarity: operand 2 is an undefined tensor"},
    {[] { (void)cdist(ones({2, 3}), ones({2, 4})); },
     "cdist: f32[2,3] and f32[2,4] are no two sets of rows of one length"},
    {[] { (void)cdist(ones({3}), ones({2, 3})); },
     "cdist: f32[3] and f32[2,3] are no two sets of rows of one length"},
    {[] { (void)cdist(none(), ones({2, 3})); }, "cdist: operand 1 is an undefined tensor"},
    {[] { (void)cdist(ones({2, 2, 3}), ones({3, 2, 3})); },
     "cdist: f32[2,2,3] and f32[3,2,3] are no two sets of rows of one length"},
    {[] { (void)nansum(none()); }, "nansum: operand 1 is an undefined tensor"},
    {[] { (void)nanmean(x(), {2}); }, "nanmean: axis 2 is out of range for f32[2,3]"},
    {[] { (void)count_nonzero(x(), {2}); }, "count_nonzero: axis 2 is out of range for f32[2,3]"},
    {[] { (void)count_nonzero(none()); }, "count_nonzero: operand 1 is an undefined tensor"},
    {[] { (void)average(x(), ones({2})); },
     "average: shapes do not broadcast: f32[2,3] and f32[2]"},
    {[] { (void)average(x(), none()); }, "average: operand 2 is an undefined tensor"},
    {[] { (void)any(none()); }, "any: operand 1 is an undefined tensor"},
    {[] { (void)all(x(), {2}); }, "all: axis 2 is out of range for bool[2,3]"},
    {[] { (void)softmax(x(), 2); }, "softmax: axis 2 is out of range for f32[2,3]"},
    {[] { (void)softmax(none(), 0); }, "softmax: operand 1 is an undefined tensor"},
    {[] { (void)log_softmax(x(), -3); }, "log_softmax: axis -3 is out of range for f32[2,3]"},
    {[] { (void)softmin(x(), 2); }, "softmax: axis 2 is out of range for f32[2,3]"},
    {[] { (void)logsumexp(x(), {2}); }, "logsumexp: axis 2 is out of range for f32[2,3]"},
    {[] { (void)logsumexp(none(), {0}); }, "logsumexp: operand 1 is an undefined tensor"},
};

INSTANTIATE_TEST_SUITE_P(Reductions, Errors, ::testing::ValuesIn(kReductions));

const FailingCall<> kCreation[] = {
    {[] { (void)zeros({2, -1}); }, "zeros: shape [2,-1] has a negative extent"},
    {[] { (void)zeros({kHuge, kHuge}); },
     "zeros: shape [1099511627776,1099511627776] has too many elements"},
    {[] { (void)ones({kHuge, kHuge}); },
     "ones: shape [1099511627776,1099511627776] has too many elements"},
    {[] { (void)full({-1}, 1); }, "full: shape [-1] has a negative extent"},
    {[] { (void)full({2}, 0.5, DType::i32); }, "scalar: the number 0.5 does not fit i32"},
    {[] { (void)scalar(300, DType::u8); }, "scalar: the number 300 does not fit u8"},
    {[] { (void)scalar(NAN, DType::i32); }, "scalar: the number nan does not fit i32"},
    {[] { (void)tensor({{1, 2}, {3}}); }, "tensor: rows of 2 and of 1 elements"},
    {[] { (void)from_span(std::span<const float>(kTwo), {3}); },
     "from_span: 2 elements do not fill f32[3]"},
    {[] { (void)from_span(std::span<const float>(kTwo), {-1}); },
     "from_span: shape [-1] has a negative extent"},
    {[] { (void)from_span(std::span<const float>(kTwo), {kHuge, kHuge}); },
     "from_span: shape [1099511627776,1099511627776] has too many elements"},
    {[] { (void)from_vector(std::vector<float>{1, 2}, {3}); },
     "from_span: 2 elements do not fill f32[3]"},
    {[] { (void)from_buffer(nullptr, {DType::f32, {2}}, nullptr); },
     "from_buffer: null data for f32[2]"},
    {[] { (void)arange(-1); }, "arange: shape [-1] has a negative extent"},
    {[] { (void)arange(0, 5, 0); }, "arange: no range from 0 to 5 in steps of 0"},
    {[] { (void)arange(0, 5, -1); }, "arange: no range from 0 to 5 in steps of -1"},
    {[] { (void)arange(0.0, 1e30, 1e-5); }, "arange: no range from 0 to 1e+30 in steps of 1e-05"},
    {[] { (void)linspace(0, 1, -1); }, "linspace: shape [-1] has a negative extent"},
    {[] { (void)logspace(0, 1, -1); }, "logspace: shape [-1] has a negative extent"},
    {[] { (void)geomspace(-1, 1, 3); }, "geomspace: -1 and 1 should be of one sign and not 0"},
    {[] { (void)geomspace(1, 2, -3); }, "geomspace: shape [-3] has a negative extent"},
    {[] { (void)eye(-1); }, "eye: shape [-1,-1] has a negative extent"},
    {[] { (void)eye(kHuge); }, "eye: shape [1099511627776,1099511627776] has too many elements"},
    {[] { (void)eye(2, -1); }, "eye: shape [2,-1] has a negative extent"},
    {[] { (void)zeros_like(none()); }, "zeros_like: an operand is an undefined tensor"},
    {[] { (void)full_like(none(), 1); }, "full_like: an operand is an undefined tensor"},
    {[] { (void)full_like(whole(), 0.5); }, "full_like: the number 0.5 does not fit i32"},
    {[] { (void)one_hot(x(), 3); }, "one_hot: cannot encode f32[2,3] in 3 classes"},
    {[] { (void)one_hot(whole(), -1); }, "one_hot: cannot encode i32[3] in -1 classes"},
    {[] { (void)one_hot(none(), 3); }, "one_hot: an operand is an undefined tensor"},
    {[] { (void)tril_indices(-1, 2); }, "tril_indices: shape [-1,2] has a negative extent"},
};

INSTANTIATE_TEST_SUITE_P(Creation, Errors, ::testing::ValuesIn(kCreation));

const FailingCall<> kReading[] = {
    {[] { (void)none().item<float>(); }, "item: the tensor is undefined"},
    {[] { (void)x().item<float>(); }, "item: f32[2,3] has 6 elements, not one"},
    {[] { (void)x().data<double>(); }, "data: f32[2,3] holds no f64 elements"},
    {[] { (void)none().to_vector<float>(); }, "to_vector: the tensor is undefined"},
    {[] { (void)none().data<float>(); }, "data: the tensor is undefined"},
    {[] { (void)x().size(2); }, "size: axis 2 is out of range for f32[2,3]"},
    {[] { (void)none().size(0); }, "size: the tensor is undefined"},
    {[] { (void)none().to(DType::f16); }, "cast: operand 1 is an undefined tensor"},
    {[] { (void)none().reshape({1}); }, "reshape: operand 1 is an undefined tensor"},
    {[] { (void)none().sum(); }, "reduce_sum: operand 1 is an undefined tensor"},
};

INSTANTIATE_TEST_SUITE_P(Reading, Errors, ::testing::ValuesIn(kReading));

const FailingCall<> kMovement[] = {
    {[] { (void)x().reshape({4}); }, "reshape: f32[2,3] has 6 elements, shape [4] has 4"},
    {[] { (void)x().reshape({4, -1}); }, "reshape: f32[2,3] does not divide into shape [4,-1]"},
    {[] { (void)x().reshape({-1, -1}); }, "reshape: shape [-1,-1] has two free extents"},
    {[] { (void)x().reshape({2, -3}); }, "reshape: shape [2,-3] has a negative extent"},
    {[] { (void)x().reshape({0, -1}); }, "reshape: f32[2,3] does not divide into shape [0,-1]"},
    {[] { (void)x().reshape({kHuge, kHuge, -1}); },
     "reshape: shape [1099511627776,1099511627776,-1] has too many elements"},
    {[] { (void)x().reshape({kHuge, kHuge}); },
     "reshape: shape [1099511627776,1099511627776] has too many elements"},
    {[] { (void)reshape(none(), {1}); }, "reshape: operand 1 is an undefined tensor"},
    {[] { (void)x().transpose(0, 2); }, "permute: axis 2 is out of range for f32[2,3]"},
    {[] { (void)x().permute({0}); },
     "permute: axes [0] are not a permutation of the axes of f32[2,3]"},
    {[] { (void)x().permute({0, 0}); },
     "permute: axes [0,0] are not a permutation of the axes of f32[2,3]"},
    {[] { (void)x().permute({0, 2}); }, "permute: axis 2 is out of range for f32[2,3]"},
    {[] { (void)permute(none(), {}); }, "permute: operand 1 is an undefined tensor"},
    {[] { (void)flatten(x(), 1, 0); }, "flatten: cannot flatten axes 1 to 0 of f32[2,3]"},
    {[] { (void)flatten(x(), 2); }, "flatten: axis 2 is out of range for f32[2,3]"},
    {[] { (void)unsqueeze(x(), 4); }, "unsqueeze: cannot insert axis 4 into f32[2,3]"},
    {[] { (void)unsqueeze(none(), 0); }, "unsqueeze: an operand is an undefined tensor"},
    {[] { (void)squeeze(x(), 0); }, "squeeze: cannot remove axis 0 of f32[2,3], whose extent is 2"},
    {[] { (void)squeeze(x(), 2); }, "squeeze: axis 2 is out of range for f32[2,3]"},
    {[] { (void)slice(x(), 2, 0, 1); }, "slice: axis 2 is out of range for f32[2,3]"},
    {[] { (void)slice(x(), 0, 0, 1, 0); }, "slice: the step is 0"},
    {[] { (void)slice(none(), 0, 0, 1); }, "slice: operand 1 is an undefined tensor"},
    {[] { (void)select(x(), 1, 3); }, "select: index 3 is out of range for axis 1 of f32[2,3]"},
    {[] { (void)select(x(), 2, 0); }, "select: axis 2 is out of range for f32[2,3]"},
    {[] { (void)select(x(), 0, -3); }, "select: index -3 is out of range for axis 0 of f32[2,3]"},
    {[] { (void)select(none(), 0, 0); }, "select: an operand is an undefined tensor"},
    {[] { (void)concat({}, 0); }, "concat: no tensors"},
    {[] { (void)concat(std::vector{x(), none()}, 0); }, "concat: operand 2 is an undefined tensor"},
    {[] { (void)concat(std::vector{x(), ones({2, 4})}, 0); },
     "concat: f32[2,3] and f32[2,4] differ beside axis 0"},
    {[] { (void)concat(std::vector{x(), ones({3})}, 0); },
     "concat: f32[2,3] and f32[3] differ beside axis 0"},
    {[] { (void)concat(std::vector{x(), x()}, 2); }, "concat: axis 2 is out of range for f32[2,3]"},
    {[] { (void)stack({}, 0); }, "stack: no tensors"},
    {[] { (void)stack(std::vector{x(), ones({3})}, 0); },
     "stack: shapes differ: f32[2,3] and f32[3]"},
    {[] { (void)stack(std::vector{x(), x()}, 4); }, "stack: cannot insert axis 4 into f32[2,3]"},
    {[] { (void)stack(std::vector{x(), none()}, 0); }, "stack: an operand is an undefined tensor"},
    {[] { (void)broadcast_to(x(), {3}); }, "broadcast: f32[2,3] does not broadcast to [3]"},
    {[] { (void)broadcast_to(x(), {2, 4}); }, "broadcast: f32[2,3] does not broadcast to [2,4]"},
    {[] { (void)broadcast_to(x(), {-1, 3}); }, "broadcast: shape [-1,3] has a negative extent"},
    {[] { (void)broadcast_to(x(), {kHuge, kHuge, 2, 3}); },
     "broadcast: shape [1099511627776,1099511627776,2,3] has too many elements"},
    {[] { (void)broadcast_to(none(), {2}); }, "broadcast: operand 1 is an undefined tensor"},
    {[] { (void)pad(x(), {1}, {1}); }, "pad: low [1] should have 2 numbers"},
    {[] { (void)pad(x(), {-3, 0}, {0, 0}); },
     "pad: low -3, high 0 crop more than axis 0 of f32[2,3]"},
    {[] { (void)pad(none(), {1}, {1}); }, "pad: operand 1 is an undefined tensor"},
    {[] { (void)pad(x(), {kHuge, kHuge}, {0, 0}); },
     "pad: result f32[1099511627778,1099511627779] has too many elements"},
};

INSTANTIATE_TEST_SUITE_P(Movement, Errors, ::testing::ValuesIn(kMovement));

}  // namespace
}  // namespace wick
