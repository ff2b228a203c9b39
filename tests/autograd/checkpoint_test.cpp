#include "wick/autograd/checkpoint.h"

#include <string>

#include "gradcheck.h"
#include "support/compiled_backend.h"
#include <gtest/gtest.h>

#include "wick/autograd/autograd.h"
#include "wick/passes/options.h"
#include "wick/tensor/capture.h"
#include "wick/tensor/compile_capture.h"
#include "wick/tensor/materialize.h"
#include "wick/tensor/random.h"

namespace wick {
namespace {

using Floats = std::vector<float>;
using Inputs = std::span<const Tensor>;
using Tensors = std::vector<Tensor>;
using testing_support::gradients_match;
using testing_support::second_gradients_match;
using testing_support::spread;

Tensor leaf(const Tensor& value) {
  materialize(value);
  Tensor x = value.detach();
  x.requires_grad_();
  return x;
}

Tensor block(Inputs x) {
  return tanh(matmul(x[0], x[1])) * x[0];
}

Tensor checkpointed_block(Inputs x) {
  return checkpoint(block, x);
}

TEST(Checkpoint, HasTheGradientsOfTheFunction) {
  const Tensors x = {spread({3, 3}, 0.2, 0.9), spread({3, 3}, 0.2, 0.9, 2)};

  EXPECT_TRUE(gradients_match(checkpointed_block, x));
  EXPECT_TRUE(second_gradients_match(checkpointed_block, x, {.tolerance = 1e-6}));
}

TEST(Checkpoint, MayUseOtherTensors) {
  Tensor w = leaf(tensor({2, 3}));
  const Tensor h = w * w;  // made before, and used inside and outside
  const Tensor x = tensor({1, 1});
  const Tensor y = checkpoint([&](const Tensor& t) { return t * h * w; }, x);
  EXPECT_TRUE(y.requires_grad());
  (sum(y) + sum(h)).backward();

  EXPECT_EQ(w.grad().to_vector<float>(), (Floats{16, 33}));  // 3 w^2 + 2 w
}

TEST(Checkpoint, CountsTensorsThatAreInputsTooOnce) {
  const Tensor w = leaf(scalar(3.0));
  const auto f = [&] { return checkpoint([&](const Tensor& t) { return t * w; }, w * w); };

  EXPECT_EQ(grad(f(), w).item<float>(), 27);
  EXPECT_EQ(grad(grad(f(), w), w).item<float>(), 18);
}

TEST(Checkpoint, Nests) {
  const Tensors x = {spread({2, 2}, 0.2, 0.9), spread({2, 2}, 0.2, 0.9, 2)};
  const auto twice = [](Inputs t) {
    return checkpoint(
        [](Inputs s) { return checkpointed_block(Tensors{checkpointed_block(s), s[1]}); }, t);
  };

  EXPECT_TRUE(gradients_match(twice, x));
}

TEST(Checkpoint, DrawsTheSameRandomNumbersAgain) {
  const Tensor x = leaf(ones({64}));
  const Tensor y = checkpoint([](const Tensor& t) { return t * rand({64}); }, x);
  const Tensor after = rand({64});
  const Tensor gradient = grad(sum(y), x);

  EXPECT_EQ(gradient.to_vector<float>(), y.to_vector<float>());
  EXPECT_NE(rand({64}).to_vector<float>(), after.to_vector<float>());
}

TEST(Checkpoint, TakesIntegersToo) {
  const Tensor table = leaf(tensor({{1, 2}, {3, 4}}));
  const Tensor rows = from_vector(std::vector<int64_t>{1, 1}, {2});
  const Tensor y =
      checkpoint([](Inputs x) { return square(take(x[0], x[1], 0)); }, Tensors{table, rows});

  EXPECT_EQ(grad(sum(y), table).to_vector<float>(), (Floats{0, 0, 12, 16}));
}

TEST(Checkpoint, RecordsNothingWhereNothingRequiresAGradient) {
  const Tensor x = tensor({1, 2});
  EXPECT_FALSE(checkpoint([](const Tensor& t) { return exp(t); }, x).requires_grad());

  const NoGradGuard guard;
  EXPECT_FALSE(checkpoint([](const Tensor& t) { return exp(t); }, leaf(x)).requires_grad());
}

/// The peak that the plan of a training step has: eight segments of four layers.
int64_t planned_peak(bool is_checkpointed) {
  constexpr int64_t kRows = 512;
  constexpr int64_t kWidth = 64;
  constexpr int kSegments = 8;
  const Tensor x = rand({kRows, kWidth});
  const Tensor w = rand({kWidth, kWidth}) * 0.1;
  materialize(x, w);
  Tensor weight = leaf(w);
  const auto segment = [&](const Tensor& t) {
    Tensor h = t;
    for (int i = 0; i < 4; ++i)
      h = tanh(matmul(h, weight));
    return h;
  };
  Tensor h = x;
  for (int i = 0; i < kSegments; ++i)
    h = is_checkpointed ? checkpoint(segment, h) : segment(h);
  sum(h).backward();
  h = Tensor();
  const Ref<detail::Node> root = weight.grad().node();
  detail::Capture capture;
  const std::lock_guard lock(detail::materialization_lock());
  capture.walk({&root, 1}, false);
  return detail::compile_capture(capture, "test", std::source_location::current())
      ->summary()
      .planned_peak_bytes;
}

TEST(Checkpoint, TakesLessMemory) {
  if (compiled_backend() == "interpreter") GTEST_SKIP() << "about the memory of compiled programs";
  Options options = wick::options();
  options.backend = compiled_backend();
  const ScopedOptions scope(options);
  const int64_t plain = planned_peak(false);
  const int64_t checkpointed = planned_peak(true);
  (void)take_pending_losses();
  materialize(take_pending_gradients());

  // Of 32 layers' values those of 8 segments' inputs and of 4 layers are left.
  EXPECT_LE(checkpointed, plain / 2) << "of " << plain;
}

}  // namespace
}  // namespace wick
