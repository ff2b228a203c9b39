#include "wick/tensor/custom_op.h"

#include <array>

#include "expect_values.h"
#include "support/sample_ops.h"

namespace wick {
namespace {

class CustomOpTensors : public ::testing::Test {
 protected:
  void SetUp() override { register_sample_ops(); }

  Tensor x_ = tensor({3, -5, 0});
  Tensor y_ = tensor({4, 12, 2});
};

/// The sentence and the line of an Error.
template <typename Function>
std::pair<std::string, uint32_t> failure_of(Function&& run) {
  try {
    run();
  } catch (const Error& error) {
    return {error.op() + ": " + error.text(), error.where().line};
  }
  return {"nothing was thrown", 0};
}

using Failure = std::pair<std::string, uint32_t>;

TEST_F(CustomOpTensors, ComputeAmongOtherOps) {
  const Tensor hypot = custom_op("sample.hypot", {x_ * 2, y_ * 2});
  const Tensor sums = custom_op("sample.running_sum", {hypot + 1});

  EXPECT_EQ(sums.to_vector<float>(), (std::vector<float>{11, 38, 43}));
  EXPECT_EQ(hypot.to_vector<float>(), (std::vector<float>{10, 26, 4}));
}

TEST_F(CustomOpTensors, AttributesReachTheOp) {
  const Tensor zero = tensor({0, 0});
  EXPECT_EQ(custom_op("sample.hypot", {zero, zero}, {{"eps", 9.0}}).to_vector<float>(),
            (std::vector<float>{3, 3}));
  EXPECT_EQ(custom_op("sample.hypot", {zero, zero}, {{"eps", 4.0}}).to_vector<float>(),
            (std::vector<float>{2, 2}));
}

TEST_F(CustomOpTensors, TakeAnyNumberOfTensors) {
  const std::array operands = {x_, y_};
  EXPECT_EQ(custom_op("sample.hypot", operands).to_vector<float>(), (std::vector<float>{5, 13, 2}));
}

TEST_F(CustomOpTensors, PrintInThePendingGraph) {
  const std::string text = custom_op("sample.hypot", {x_, y_}, {{"eps", 1e-6}}).ir();
  EXPECT_NE(text.find(R"("sample.hypot" %p0, %p1 {eps = 1e-06} : f32[3])"), std::string::npos)
      << text;
}

TEST_F(CustomOpTensors, ErrorsNameTheCallersLine) {
  const uint32_t line = __LINE__ + 1;
  EXPECT_EQ(failure_of([&] { (void)custom_op("sample.hypot", {x_}); }),
            Failure("sample.hypot: takes 2 operands, got 1: f32[3]", line));
  EXPECT_EQ(failure_of([&] { (void)custom_op("sample.hypo", {x_, y_}); }).first,
            "sample.hypo: the op sample.hypo is not registered; did you mean sample.hypot?");
  EXPECT_EQ(failure_of([&] { (void)custom_op("sample.hypot", {x_, Tensor()}); }).first,
            "sample.hypot: operand 2 is an undefined tensor");
  EXPECT_EQ(failure_of([&] { (void)custom_op("sample.hypot", {x_, tensor({1, 2})}); }).first,
            "sample.hypot: add: shapes do not broadcast: f32[3] and f32[2]");
  EXPECT_EQ(failure_of([&] { (void)custom_op("sample.twice", {x_}, {{"op", "x"}}); }).first,
            "sample.twice: the attribute op is the op's own name");
  EXPECT_EQ(failure_of([&] { (void)custom_op("sample.twice", {x_}, {{"a b", true}}); }).first,
            "sample.twice: 'a b' is no name of an attribute");
}

TEST_F(CustomOpTensors, FailuresOfARunNameTheLineThatRecordedTheOp) {
  const uint32_t line = __LINE__ + 1;
  const Tensor bad = custom_op("sample.failing", {x_});
  EXPECT_EQ(failure_of([&] { (void)bad.to_vector<float>(); }),
            Failure("sample.failing: the machine is on fire", line));
}

TEST_F(CustomOpTensors, WithoutOperandsMayBeTooFew) {
  EXPECT_EQ(failure_of([&] { (void)custom_op("sample.twice", {}); }).first,
            "sample.twice: takes 1 operand, got 0: nothing");
}

}  // namespace
}  // namespace wick
