// What is thrown, and where, when autograd is asked for what it cannot do.

#include <string>

#include <gtest/gtest.h>

#include "wick/autograd/autograd.h"
#include "wick/autograd/checkpoint.h"
#include "wick/autograd/functional.h"
#include "wick/autograd/hooks.h"
#include "wick/ir/error.h"
#include "wick/tensor/ops.h"

namespace wick {
namespace {

using Tensors = std::vector<Tensor>;

Tensor leaf(Shape shape) {
  Tensor x = ones(std::move(shape));
  x.requires_grad_();
  return x;
}

Tensor twice(const Tensor& x) {
  return x * 2;
}

Tensor squares(const Tensor& x) {
  return sum(x * x);
}

Tensor nothing(const Tensor& /*x*/) {
  return {};
}

Tensors both(std::span<const Tensor> x) {
  return {x[0], x[0]};
}

struct Case {
  const char* name;
  /// Says the line before it does what fails.
  void (*act)(uint32_t& line);
  const char* message;
};

void PrintTo(const Case& c, std::ostream* out) {
  *out << c.name;
}

class Errors : public testing::TestWithParam<Case> {};

TEST_P(Errors, NameTheOpAndTheCallersLine) {
  uint32_t line = 0;
  try {
    GetParam().act(line);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.op() + ": " + error.text(), GetParam().message);
    EXPECT_TRUE(std::string(error.where().file).ends_with("errors_test.cpp")) << error.what();
    EXPECT_EQ(error.where().line, line);
  }
}

const Case kCases[] = {
    {"BackwardNeedsAScalar",
     [](uint32_t& line) {
       const Tensor y = leaf({2, 3}) * 2;
       line = __LINE__ + 1;
       y.backward();
     },
     "backward: needs a scalar, got f32[2,3]"},
    {"BackwardNeedsARequirement",
     [](uint32_t& line) {
       const Tensor y = sum(ones({2}));
       line = __LINE__ + 1;
       y.backward();
     },
     "backward: the scalar f32[] does not require a gradient"},
    {"BackwardOfNothing",
     [](uint32_t& line) {
       line = __LINE__ + 1;
       Tensor().backward();
     },
     "backward: the tensor is undefined"},
    {"ASecondBackward",
     [](uint32_t& line) {
       const Tensor y = squares(leaf({2}));
       y.backward();
       line = __LINE__ + 1;
       y.backward();
     },
     "backward: the history was freed by an earlier backward; pass retain_graph = true"},
    {"ASecondBackwardOfKnownValues",
     [](uint32_t& line) {
       const Tensor y = squares(leaf({2}));
       y.backward();
       materialize(y);
       line = __LINE__ + 1;
       (y * 2).backward();
     },
     "backward: the history was freed by an earlier backward; pass retain_graph = true"},
    {"GradOfFreedHistory",
     [](uint32_t& line) {
       const Tensor x = leaf({2});
       const Tensor y = squares(x);
       y.backward();
       line = __LINE__ + 1;
       (void)grad(y, x);
     },
     "grad: the history was freed by an earlier backward; pass retain_graph = true"},
    {"GradNeedsScalars",
     [](uint32_t& line) {
       const Tensor x = leaf({2});
       line = __LINE__ + 1;
       (void)grad(x * 2, x);
     },
     "grad: needs a scalar, got f32[2]"},
    {"GradOfAnotherCotangent",
     [](uint32_t& line) {
       const Tensor x = leaf({2});
       line = __LINE__ + 1;
       (void)grad(x * 2, x, {.cotangents = {ones({3})}});
     },
     "grad: the cotangent of f32[2] is f32[3]"},
    {"GradOfTooManyCotangents",
     [](uint32_t& line) {
       const Tensor x = leaf({2});
       line = __LINE__ + 1;
       (void)grad(x * 2, x, {.cotangents = {ones({2}), ones({2})}});
     },
     "grad: 2 cotangents for 1 outputs"},
    {"GradForOtherInputs",
     [](uint32_t& line) {
       const Tensor x = leaf({2});
       line = __LINE__ + 1;
       (void)grad(sum(x), ones({3}));
     },
     "grad: input f32[3] does not require a gradient"},
    {"GradOfUndefined",
     [](uint32_t& line) {
       line = __LINE__ + 1;
       (void)grad(Tensor(), leaf({2}));
     },
     "grad: an output is undefined"},
    {"IntegersAsLeaves",
     [](uint32_t& line) {
       Tensor x = arange(3);
       line = __LINE__ + 1;
       x.requires_grad_();
     },
     "requires_grad_: needs a float dtype, got i64[3]"},
    {"ResultsAsLeaves",
     [](uint32_t& line) {
       Tensor y = leaf({2}) * 2;
       line = __LINE__ + 1;
       y.requires_grad_();
     },
     "requires_grad_: only leaves can be marked; f32[2] was computed from tensors that require a "
     "gradient, detach() it first"},
    {"ResultsAsNoLeaves",
     [](uint32_t& line) {
       Tensor y = leaf({2}) * 2;
       line = __LINE__ + 1;
       y.requires_grad_(false);
     },
     "requires_grad_: only leaves can be marked; f32[2] was computed from tensors that require a "
     "gradient, detach() it first"},
    {"UndefinedAsLeaf",
     [](uint32_t& line) {
       Tensor x;
       line = __LINE__ + 1;
       x.requires_grad_();
     },
     "requires_grad_: the tensor is undefined"},
    {"VjpOfIntegers",
     [](uint32_t& line) {
       line = __LINE__ + 1;
       (void)vjp(twice, arange(3), ones({3}));
     },
     "vjp: input 0 i64[3] is of no float dtype"},
    {"VjpOfUndefined",
     [](uint32_t& line) {
       line = __LINE__ + 1;
       (void)vjp(twice, Tensor(), ones({3}));
     },
     "vjp: input 0 is undefined"},
    {"VjpOfAnotherCotangent",
     [](uint32_t& line) {
       line = __LINE__ + 1;
       (void)vjp(twice, ones({2}), ones({3}));
     },
     "vjp: cotangent 0 should be f32[2], it is f32[3]"},
    {"VjpOfTooFewCotangents",
     [](uint32_t& line) {
       const Tensors x = {ones({2})};
       line = __LINE__ + 1;
       (void)vjp(both, x, x);
     },
     "vjp: 1 cotangents for 2 outputs"},
    {"VjpOfNoOutput",
     [](uint32_t& line) {
       line = __LINE__ + 1;
       (void)vjp(nothing, ones({2}), ones({2}));
     },
     "vjp: output 0 is undefined"},
    {"JvpOfAnotherTangent",
     [](uint32_t& line) {
       line = __LINE__ + 1;
       (void)jvp(twice, ones({2}), zeros({2}, DType::f64));
     },
     "jvp: tangent 0 should be f32[2], it is f64[2]"},
    {"JvpOfTooManyTangents",
     [](uint32_t& line) {
       const Tensors x = {ones({2})};
       line = __LINE__ + 1;
       (void)jvp(both, x, Tensors{x[0], x[0]});
     },
     "jvp: 2 tangents for 1 inputs"},
    {"JvpOfUndefinedTangents",
     [](uint32_t& line) {
       line = __LINE__ + 1;
       (void)jvp(twice, ones({2}), Tensor());
     },
     "jvp: tangent 0 is undefined"},
    {"JacobianOfBools",
     [](uint32_t& line) {
       line = __LINE__ + 1;
       (void)jacobian(twice, ones({2}) > 0);
     },
     "jacobian: input 0 bool[2] is of no float dtype"},
    {"HessianOfAVector",
     [](uint32_t& line) {
       line = __LINE__ + 1;
       (void)hessian(twice, ones({2}));
     },
     "hessian: the function's result should be one element, it is f32[2]"},
    {"HvpOfAVector",
     [](uint32_t& line) {
       line = __LINE__ + 1;
       (void)hvp(twice, ones({2}), ones({2}));
     },
     "hvp: the function's result should be one element, it is f32[2]"},
    {"HvpOfAnotherTangent",
     [](uint32_t& line) {
       line = __LINE__ + 1;
       (void)hvp(squares, ones({2}), ones({3}));
     },
     "hvp: tangent 0 should be f32[2], it is f32[3]"},
    {"HooksOfConstants",
     [](uint32_t& line) {
       const Tensor x = ones({2});
       line = __LINE__ + 1;
       register_hook(x, twice);
     },
     "register_hook: f32[2] does not require a gradient"},
    {"HooksOfUndefined",
     [](uint32_t& line) {
       line = __LINE__ + 1;
       register_hook(Tensor(), twice);
     },
     "register_hook: the tensor is undefined"},
    {"EmptyHooks",
     [](uint32_t& line) {
       const Tensor x = leaf({2});
       line = __LINE__ + 1;
       register_hook(x, nullptr);
     },
     "register_hook: the hook is empty"},
    {"CheckpointOfNoResult",
     [](uint32_t& line) {
       line = __LINE__ + 1;
       (void)checkpoint(nothing, leaf({2}));
     },
     "checkpoint: the function's result is undefined"},
};

INSTANTIATE_TEST_SUITE_P(All, Errors, testing::ValuesIn(kCases), [](const auto& info) {
  return std::string(info.param.name);
});

/// The message of the Error that `act` throws; "" when it throws none.
template <typename F>
std::string message_of(F&& act) {
  try {
    act();
  } catch (const Error& error) {
    return error.op() + ": " + error.text();
  }
  return "";
}

TEST(FailedBackward, ChangesNothing) {
  Tensor x = leaf({2});
  const auto f = custom_gradient(
      [](std::span<const Tensor> inputs) { return inputs[0] * 2; },
      [](std::span<const Tensor>, const Tensor&, const Tensor&) -> std::vector<Tensor> {
        return {};
      });
  const Tensor y = squares(x);
  const Tensor z = y + sum(f({&x, 1}));
  EXPECT_EQ(message_of([&] { z.backward(); }),
            "custom_gradient: backward should give 1 gradients, one an input, it gave 0");

  EXPECT_FALSE(x.grad().defined());
  y.backward();
  EXPECT_EQ(x.grad().to_vector<float>(), (std::vector<float>{2, 2}));
}

TEST(Hooks, OfAnotherTypeFailAtTheTensorsLine) {
  Tensor x = leaf({2});
  const uint32_t line = __LINE__ + 1;
  const Tensor h = x * 2;
  register_hook(h, [](const Tensor&) { return ones({3}); });
  try {
    sum(h).backward();
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.text(), "the hook should give f32[2], it gave f32[3]");
    EXPECT_EQ(error.where().line, line);
  }
  EXPECT_FALSE(x.grad().defined());
}

}  // namespace
}  // namespace wick
