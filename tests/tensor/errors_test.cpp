#include <array>
#include <functional>

#include "expect_values.h"
#include <fmt/format.h>

namespace wick {
namespace {

/// The whole message of the Error thrown, with its column, which says little, cut out.
std::string message_of(const std::function<void()>& code) {
  try {
    code();
  } catch (const Error& error) {
    const Location at = error.where();
    EXPECT_GT(at.column, 0U);
    const std::string place = to_string(at);
    const std::string message = error.what();
    EXPECT_TRUE(message.starts_with(place + ": ")) << message;
    return fmt::format("{}:{}{}", at.file, at.line, message.substr(place.size()));
  }
  return "no error";
}

std::string here(uint32_t line, const std::string& text) {
  return fmt::format("{}:{}: error: {}", __FILE__, line, text);
}

class Errors : public ::testing::Test {
 protected:
  Tensor vector_ = tensor({1, 2, 3});
  Tensor matrix_ = tensor({{1, 2, 3}, {4, 5, 6}});
  Tensor integers_ = tensor({1, 2, 3}).to(DType::i32);
  Tensor undefined_;
};

TEST_F(Errors, ShapesThatDoNotBroadcast) {
  const uint32_t line = __LINE__ + 1;
  EXPECT_EQ(message_of([&] { (void)(vector_ + tensor({1, 2})); }),
            here(line, "add: shapes do not broadcast: f32[3] and f32[2]"));
}

TEST_F(Errors, CompoundAssignmentNamesItsLineAndKeepsTheValue) {
  Tensor x = vector_;
  const uint32_t line = __LINE__ + 1;
  EXPECT_EQ(message_of([&] { x *= tensor({1, 2}); }),
            here(line, "mul: shapes do not broadcast: f32[3] and f32[2]"));
  EXPECT_EQ(x.node(), vector_.node());
}

TEST_F(Errors, MatmulInnerExtents) {
  const uint32_t line = __LINE__ + 1;
  EXPECT_EQ(
      message_of([&] { (void)matmul(matrix_, matrix_); }),
      here(line, "matmul: inner extents differ: lhs f32[2,3] has k = 3, rhs f32[2,3] has k = 2"));
}

TEST_F(Errors, NumbersThatDoNotFit) {
  const uint32_t line = __LINE__ + 1;
  EXPECT_EQ(message_of([&] { (void)(integers_ + 3000000000); }),
            here(line, "add: the number 3000000000 does not fit i32[3]; cast the tensor first"));
}

TEST_F(Errors, BadAxes) {
  const uint32_t line = __LINE__ + 1;
  EXPECT_EQ(message_of([&] { (void)sum(matrix_, {2}); }),
            here(line, "reduce_sum: axis 2 is out of range for f32[2,3]"));
  EXPECT_EQ(message_of([&] { (void)matrix_.transpose(0, -3); }),
            here(line + 2, "permute: axis -3 is out of range for f32[2,3]"));
  EXPECT_EQ(message_of([&] { (void)max(matrix_, {1, -1}); }),
            here(line + 4, "reduce_max: axis 1 is named twice for f32[2,3]"));
  EXPECT_EQ(message_of([&] { (void)matrix_.size(2); }),
            here(line + 6, "size: axis 2 is out of range for f32[2,3]"));
  EXPECT_EQ(message_of([&] { (void)select(matrix_, 1, 3); }),
            here(line + 8, "select: index 3 is out of range for axis 1 of f32[2,3]"));
}

TEST_F(Errors, BadReshape) {
  const uint32_t line = __LINE__ + 1;
  EXPECT_EQ(message_of([&] { (void)matrix_.reshape({4}); }),
            here(line, "reshape: f32[2,3] has 6 elements, shape [4] has 4"));
  EXPECT_EQ(message_of([&] { (void)matrix_.reshape({4, -1}); }),
            here(line + 2, "reshape: f32[2,3] does not divide into shape [4,-1]"));
  EXPECT_EQ(message_of([&] { (void)matrix_.reshape({-1, -1}); }),
            here(line + 4, "reshape: shape [-1,-1] has two free extents"));
}

TEST_F(Errors, ItemOfSeveralElements) {
  const uint32_t line = __LINE__ + 1;
  EXPECT_EQ(message_of([&] { (void)vector_.item<float>(); }),
            here(line, "item: f32[3] has 3 elements, not one"));
}

TEST_F(Errors, DataOfAnotherDtype) {
  const uint32_t line = __LINE__ + 1;
  EXPECT_EQ(message_of([&] { (void)vector_.data<double>(); }),
            here(line, "data: f32[3] holds no f64 elements"));
}

TEST_F(Errors, UndefinedTensors) {
  const uint32_t line = __LINE__ + 1;
  EXPECT_EQ(message_of([&] { (void)(vector_ + undefined_); }),
            here(line, "add: operand 2 is an undefined tensor"));
  EXPECT_EQ(message_of([&] { (void)exp(undefined_); }),
            here(line + 2, "exp: operand 1 is an undefined tensor"));
  EXPECT_EQ(message_of([&] { (void)mean(undefined_); }),
            here(line + 4, "mean: operand 1 is an undefined tensor"));
  EXPECT_EQ(message_of([&] { (void)undefined_.item<float>(); }),
            here(line + 6, "item: the tensor is undefined"));
  EXPECT_EQ(message_of([&] { (void)maximum(1, 2); }),
            here(line + 8, "maximum: at least one operand must be a tensor"));
}

TEST_F(Errors, DtypesThatAnOpDoesNotTake) {
  const uint32_t line = __LINE__ + 1;
  EXPECT_EQ(message_of([&] { (void)(vector_ & vector_); }),
            here(line, "bit_and: needs an integer or bool operand, got f32[3]"));
}

TEST_F(Errors, Making) {
  const std::array<float, 2> values = {1, 2};
  const uint32_t line = __LINE__ + 1;
  EXPECT_EQ(message_of([&] { (void)from_span(std::span<const float>(values), {3}); }),
            here(line, "from_span: 2 elements do not fill f32[3]"));
  EXPECT_EQ(message_of([&] { (void)zeros({2, -1}); }),
            here(line + 2, "zeros: shape [2,-1] has a negative extent"));
  EXPECT_EQ(message_of([&] { (void)rand({2}, DType::i32); }),
            here(line + 4, "rand: the dtype must be a float, not i32"));
  EXPECT_EQ(message_of([&] { (void)randint(3, 3, {2}); }),
            here(line + 6, "randint: no integer is in [3, 3)"));
}

}  // namespace
}  // namespace wick
