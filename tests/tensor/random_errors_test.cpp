// What random functions refuse: the whole message, the caller's line, and a generator that is left
// as it was.

#include <cmath>
#include <limits>

#include "expect_values.h"
#include "support/failing_call.h"

#include "wick/tensor/random_sampling.h"

namespace wick {
namespace {

using testing_support::FailingCall;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

const Tensor kUndefined;

class RandomErrors : public ::testing::TestWithParam<FailingCall<Generator&>> {};

TEST_P(RandomErrors, NameOpValuesAndLineAndKeepTheState) {
  Generator generator(5);

  expect_failure(GetParam(), generator);

  EXPECT_EQ(generator.state(), Generator(5).state());
}

const FailingCall<Generator&> kRandomMistakes[] = {
    {[](Generator& g) { (void)rand({2}, DType::i32, g); },
     "rand: the dtype must be a float, not i32"},
    {[](Generator& g) { (void)rand({2, -1}, DType::f32, g); },
     "rand: shape [2,-1] has a negative extent"},
    {[](Generator& g) { (void)rand({int64_t{1} << 32, int64_t{1} << 32}, DType::f32, g); },
     "rand: shape [4294967296,4294967296] has too many elements"},
    {[](Generator& g) { (void)rand_like(kUndefined, g); }, "rand_like: the tensor is undefined"},
    {[](Generator& g) { (void)randn({2}, DType::bool_, g); },
     "randn: the dtype must be a float, not bool"},
    {[](Generator& g) { (void)uniform(2, 1, {2}, DType::f32, g); },
     "uniform: [2, 1) is no finite interval"},
    {[](Generator& g) { (void)uniform(0, kInfinity, {2}, DType::f32, g); },
     "uniform: [0, inf) is no finite interval"},
    {[](Generator& g) { (void)normal(0, -1, {2}, DType::f32, g); },
     "normal: mean and stddev must be finite and stddev not negative, they are 0, -1"},
    {[](Generator& g) { (void)exponential(0, {2}, DType::f32, g); },
     "exponential: the rate must be positive and finite, it is 0"},
    {[](Generator& g) { (void)gumbel(0, NAN, {2}, DType::f32, g); },
     "gumbel: the scale must be positive and finite, it is nan"},
    {[](Generator& g) { (void)randint(3, 3, {2}, DType::i64, g); },
     "randint: no integer is in [3, 3)"},
    {[](Generator& g) { (void)randint(0, 257, {2}, DType::u8, g); },
     "randint: integers in [0, 257) do not fit u8"},
    {[](Generator& g) { (void)randint(-1, 5, {2}, DType::u8, g); },
     "randint: integers in [-1, 5) do not fit u8"},
    {[](Generator& g) { (void)bernoulli(1.5, {2}, DType::bool_, g); },
     "bernoulli: p must be in [0, 1], it is 1.5"},
    {[](Generator& g) { (void)bernoulli(arange(2), g); },
     "bernoulli: the dtype must be a float, not i64"},
    {[](Generator& g) { (void)dropout(ones({2}), -0.5, g); },
     "dropout: the rate must be in [0, 1], it is -0.5"},
    {[](Generator& g) { (void)dropout(arange(2), 0.5, g); },
     "dropout: the dtype must be a float, not i64"},
    {[](Generator& g) { (void)truncated_normal({2}, {.low = 1, .high = 1}, g); },
     "truncated_normal: the bounds 1 and 1 are no interval"},
    {[](Generator& g) { (void)truncated_normal({2}, {.stddev = 0}, g); },
     "truncated_normal: the mean is 0, the stddev 0"},
    {[](Generator& g) { (void)truncated_normal({2}, {.low = 40, .high = 41}, g); },
     "truncated_normal: next to nothing of the distribution is between 40 and 41"},
    {[](Generator& g) { (void)randperm(-1, g); }, "randperm: n is negative: -1"},
    {[](Generator& g) { (void)shuffle(arange(4), 1, g); },
     "size: axis 1 is out of range for i64[4]"},
    {[](Generator& g) { (void)categorical(zeros({2, 0}), 1, g); },
     "categorical: f32[2,0] has no category"},
    {[](Generator& g) { (void)multinomial(ones({3}), 4, {}, g); },
     "multinomial: 4 samples cannot be drawn from 3 categories without replacement"},
    {[](Generator& g) { (void)multinomial(ones({0}), 1, {.replacement = true}, g); },
     "multinomial: 1 samples cannot be drawn from 0 categories"},
    {[](Generator& g) { (void)multinomial(ones({}), 1, {}, g); },
     "multinomial: the weights are a scalar"},
    {[](Generator& g) { (void)randn_like(kUndefined, g); }, "randn_like: the tensor is undefined"},
    {[](Generator& g) { (void)bernoulli(kUndefined, g); }, "bernoulli: the tensor is undefined"},
    {[](Generator& g) { (void)dropout(kUndefined, 0.5, g); }, "dropout: the tensor is undefined"},
    {[](Generator& g) { (void)shuffle(kUndefined, 0, g); }, "shuffle: the tensor is undefined"},
    {[](Generator& g) { (void)categorical(kUndefined, 1, g); },
     "categorical: the tensor is undefined"},
    {[](Generator& g) { (void)multinomial(kUndefined, 1, {}, g); },
     "multinomial: the tensor is undefined"},
    {[](Generator& g) { (void)categorical(arange(3), 1, g); },
     "categorical: the dtype must be a float, not i64"},
    {[](Generator& g) { (void)randperm(int64_t{1} << 62, g); },
     "randperm: shape [4611686018427387904] has too many elements"},
};

INSTANTIATE_TEST_SUITE_P(All, RandomErrors, ::testing::ValuesIn(kRandomMistakes));

}  // namespace
}  // namespace wick
