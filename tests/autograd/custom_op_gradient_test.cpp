#include "wick/autograd/custom_op_gradient.h"

#include "gradcheck.h"
#include "leaf.h"
#include "support/sample_ops.h"
#include <gtest/gtest.h>

#include "wick/autograd/autograd.h"
#include "wick/tensor/custom_op.h"

namespace wick {
namespace {

using testing_support::gradients_match;
using testing_support::leaf;
using testing_support::second_gradients_match;
using testing_support::spread;
using Tensors = std::vector<Tensor>;
using Inputs = std::span<const Tensor>;

bool register_gradients() {
  register_sample_ops();
  register_custom_gradient(
      "sample.hypot",
      [](Inputs inputs, const Tensor& output, const Tensor& g, const ir::Attributes&) {
        const Tensor scaled = g / output;
        return Tensors{scaled * inputs[0], scaled * inputs[1]};
      });
  register_custom_gradient(
      "sample.ratio",
      [](Inputs, const Tensor&, const Tensor& g, const ir::Attributes&) { return Tensors{g}; });
  register_custom_gradient("sample.running_sum",
                           [](Inputs, const Tensor&, const Tensor& g, const ir::Attributes&) {
                             return Tensors{sum(g)};
                           });
  register_custom_gradient("sample.nested",
                           [](Inputs, const Tensor&, const Tensor&, const ir::Attributes&) {
                             return Tensors{Tensor()};
                           });
  return true;
}

class CustomOpGradients : public testing::Test {
 protected:
  void SetUp() override {
    static const bool registered = register_gradients();
    (void)registered;
  }
};

std::string failure_of(const Tensor& loss) {
  try {
    loss.backward();
  } catch (const Error& error) {
    return std::to_string(error.where().line) + ": " + error.op() + ": " + error.text();
  }
  return "nothing was thrown";
}

std::string at(int line, const std::string& text) {
  return std::to_string(line) + ": " + text;
}

Tensor hypot(Inputs inputs) {
  return custom_op("sample.hypot", inputs, {{"eps", 0.25}});
}

TEST_F(CustomOpGradients, MatchDifferences) {
  const Tensors inputs = {spread({2, 3}, -2, 2), spread({2, 3}, -1, 3, 2)};
  EXPECT_TRUE(gradients_match(hypot, inputs));
  EXPECT_TRUE(second_gradients_match(hypot, inputs));
}

TEST_F(CustomOpGradients, AreSummedOverBroadcastAxes) {
  const Tensors inputs = {spread({2, 3}, -2, 2), spread({2, 1}, -1, 3, 2)};
  EXPECT_TRUE(gradients_match(hypot, inputs));
  EXPECT_TRUE(second_gradients_match(hypot, inputs));
}

TEST_F(CustomOpGradients, UndefinedMeansNone) {
  Tensor x = leaf({1, 2});
  (sum(custom_op("sample.nested", {x})) + sum(x * 3)).backward();
  EXPECT_EQ(x.grad().to_vector<float>(), (std::vector<float>{3, 3}));
}

TEST_F(CustomOpGradients, AnOpWithoutOneCannotBeDifferentiated) {
  Tensor x = leaf({1, 2});
  const int line = __LINE__ + 1;
  const Tensor y = custom_op("sample.twice", {x});
  EXPECT_EQ(failure_of(sum(y)),
            at(line, "sample.twice: has no gradient: none was given to register_custom_gradient"));
}

TEST_F(CustomOpGradients, WrongGradientsAreErrorsAtTheOp) {
  Tensor x = leaf({1, 2});
  const int ratio_line = __LINE__ + 1;
  const Tensor ratio = custom_op("sample.ratio", {x, x});
  EXPECT_EQ(
      failure_of(sum(ratio)),
      at(ratio_line, "sample.ratio: backward should give 2 gradients, one an input, it gave 1"));
  const int sums_line = __LINE__ + 1;
  const Tensor sums = custom_op("sample.running_sum", {x});
  EXPECT_EQ(
      failure_of(sum(sums)),
      at(sums_line, "sample.running_sum: the gradient of input 0 should be f32[2], it is f32[]"));
}

TEST_F(CustomOpGradients, AreRegisteredOnceAndForNamesOfOps) {
  const CustomOpGradient none = [](Inputs, const Tensor&, const Tensor&, const ir::Attributes&) {
    return Tensors{};
  };
  EXPECT_THROW(register_custom_gradient("sample.hypot", none), std::invalid_argument);
  EXPECT_THROW(register_custom_gradient("hypot", none), std::invalid_argument);
  EXPECT_THROW(register_custom_gradient("sample.void", nullptr), std::invalid_argument);
}

}  // namespace
}  // namespace wick
