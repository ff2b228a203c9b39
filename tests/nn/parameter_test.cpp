#include "wick/nn/parameter.h"

#include "expect_error.h"
#include "expect_values.h"
#include <gtest/gtest.h>

#include "wick/autograd/autograd.h"

namespace wick::nn {
namespace {

using testing_support::error_of;
using testing_support::expect_values;

TEST(Parameter, CopiesShareOneCell) {
  Parameter a(tensor({1, 2}));
  Parameter b = a;

  b.assign(tensor({3, 4}));

  EXPECT_EQ(a, b);
  expect_values(a, {2}, {3, 4}, 0);
  EXPECT_TRUE(a.value().requires_grad());
}

TEST(Parameter, AssignKeepsTheGradient) {
  Parameter p(tensor({1, 2}));
  (p.value() * p.value()).sum().backward();
  expect_values(p.grad(), {2}, {2, 4}, 0);

  p.assign(tensor({10, 20}));

  expect_values(p.grad(), {2}, {2, 4}, 0);
  (p.value() * p.value()).sum().backward();
  expect_values(p.grad(), {2}, {22, 44}, 0);
  p.zero_grad();
  EXPECT_FALSE(p.grad().defined());
}

TEST(Parameter, TakesAValueThatHasAHistory) {
  Parameter p(tensor({1, 2}));

  p.assign(p.value() * 3);

  expect_values(p, {2}, {3, 6}, 0);
  (p.value() * 5).sum().backward();
  expect_values(p.grad(), {2}, {5, 5}, 0);
}

TEST(Parameter, RefusesAnotherType) {
  Parameter p(tensor({1, 2}));

  EXPECT_EQ(error_of([&] { p.assign(tensor({1, 2, 3})); }),
            "assign: the cell holds f32[2], the new value is f32[3]");
  EXPECT_EQ(error_of([] { Parameter q(zeros({2}, DType::i64)); }),
            "requires_grad_: needs a float dtype, got i64[2]");
  expect_values(p, {2}, {1, 2}, 0);
}

TEST(Buffer, IsNoLeafThatRequiresAGradient) {
  Buffer a(tensor({1, 2}));
  const Buffer b = a;

  a.assign(tensor({5, 6}));

  expect_values(b, {2}, {5, 6}, 0);
  EXPECT_FALSE(b.value().requires_grad());
}

}  // namespace
}  // namespace wick::nn
