#include <string>

#include <gtest/gtest.h>

#include "wick/autograd/autograd.h"
#include "wick/tensor/ops.h"

namespace wick {
namespace {

/// The message of the Error that `act` throws, without its place; "" when it throws none.
template <typename F>
std::string message_of(F&& act) {
  try {
    act();
  } catch (const Error& error) {
    EXPECT_TRUE(std::string(error.where().file).ends_with("errors_test.cpp")) << error.what();
    return error.op() + ": " + error.text();
  }
  return "";
}

Tensor leaf(Shape shape) {
  Tensor x = ones(std::move(shape));
  x.requires_grad_();
  return x;
}

TEST(Errors, BackwardNeedsAScalar) {
  const Tensor y = leaf({2, 3}) * 2;

  EXPECT_EQ(message_of([&] { y.backward(); }), "backward: needs a scalar, got f32[2,3]");
}

TEST(Errors, BackwardNamesTheCallersLine) {
  const Tensor y = leaf({2, 3}) * 2;
  uint32_t line = 0;
  try {
    line = __LINE__ + 1;
    y.backward();
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.where().line, line);
  }
}

TEST(Errors, BackwardNeedsSomethingThatRequiresAGradient) {
  const Tensor y = sum(ones({2}));

  EXPECT_EQ(message_of([&] { y.backward(); }),
            "backward: the scalar f32[] does not require a gradient");
}

TEST(Errors, BackwardOfNothing) {
  EXPECT_EQ(message_of([] { Tensor().backward(); }), "backward: the tensor is undefined");
}

TEST(Errors, ASecondBackwardNeedsItsHistory) {
  Tensor x = leaf({2});
  const Tensor y = sum(x * x);
  y.backward();

  EXPECT_EQ(message_of([&] { y.backward(); }),
            "backward: the history was freed by an earlier backward; pass retain_graph = true");
  EXPECT_EQ(x.grad().to_vector<float>(), (std::vector<float>{2, 2}));
}

TEST(Errors, ASecondBackwardNeedsItsHistoryAfterValuesAreKnown) {
  Tensor x = leaf({2});
  const Tensor y = sum(x * x);
  y.backward();
  materialize(y, x.grad());

  EXPECT_EQ(message_of([&] { (y * 2).backward(); }),
            "backward: the history was freed by an earlier backward; pass retain_graph = true");
}

TEST(Errors, GradOfFreedHistory) {
  Tensor x = leaf({2});
  const Tensor y = sum(x * x);
  y.backward();

  EXPECT_EQ(message_of([&] { (void)grad(y, x); }),
            "grad: the history was freed by an earlier backward; pass retain_graph = true");
}

TEST(Errors, OnlyFloatsRequireGradients) {
  Tensor x = arange(3);

  EXPECT_EQ(message_of([&] { x.requires_grad_(); }),
            "requires_grad_: needs a float dtype, got i64[3]");
}

TEST(Errors, OnlyLeavesCanBeMarked) {
  Tensor y = leaf({2}) * 2;
  constexpr auto kText =
      "requires_grad_: only leaves can be marked; f32[2] was computed from tensors that require a "
      "gradient, detach() it first";

  EXPECT_EQ(message_of([&] { y.requires_grad_(); }), kText);
  EXPECT_EQ(message_of([&] { y.requires_grad_(false); }), kText);
}

TEST(Errors, GradNeedsScalarsOrCotangents) {
  const Tensor x = leaf({2});

  EXPECT_EQ(message_of([&] { (void)grad(x * 2, x); }), "grad: needs a scalar, got f32[2]");
  EXPECT_EQ(message_of([&] { (void)grad(x * 2, x, {.cotangents = {ones({3})}}); }),
            "grad: the cotangent of f32[2] is f32[3]");
  EXPECT_EQ(message_of([&] { (void)grad(x * 2, x, {.cotangents = {ones({2}), ones({2})}}); }),
            "grad: 2 cotangents for 1 outputs");
}

TEST(Errors, GradNeedsInputsThatRequireGradients) {
  const Tensor x = leaf({2});
  const Tensor other = ones({3});

  EXPECT_EQ(message_of([&] { (void)grad(sum(x), other); }),
            "grad: input f32[3] does not require a gradient");
}

TEST(Errors, AFailedBackwardChangesNothing) {
  Tensor x = leaf({2});
  const auto f = custom_gradient(
      [](std::span<const Tensor> inputs) { return inputs[0] * 2; },
      [](std::span<const Tensor>, const Tensor&, const Tensor&) -> std::vector<Tensor> {
        return {};
      });
  const Tensor y = sum(x * x);
  const Tensor z = y + sum(f({&x, 1}));
  EXPECT_EQ(message_of([&] { z.backward(); }),
            "custom_gradient: backward should give 1 gradients, one an input, it gave 0");

  EXPECT_FALSE(x.grad().defined());
  y.backward();
  EXPECT_EQ(x.grad().to_vector<float>(), (std::vector<float>{2, 2}));
}

}  // namespace
}  // namespace wick
