#include "wick/passes/pattern.h"

#include <gtest/gtest.h>

#include "wick/ir/builder.h"

namespace wick::passes::pattern {
namespace {

using ir::OpKind;

class Pattern : public testing::Test {
 protected:
  ir::Graph graph_{"g"};
  ir::Builder build_{graph_};
  ir::Value x_ = graph_.add_parameter({DType::f32, {4}}, "x")->result();
  ir::Value y_ = graph_.add_parameter({DType::f32, {4}}, "y")->result();
};

TEST_F(Pattern, BindsWhatItMatches) {
  const ir::Value value = build_.op(OpKind::sub, {x_, build_.scalar(DType::f32, 3)});
  ir::Value left;
  double right = 0;

  EXPECT_TRUE(matches(value, op(OpKind::sub, any(left), splat(right))));
  EXPECT_EQ(left, x_);
  EXPECT_EQ(right, 3);
  EXPECT_FALSE(matches(value, op(OpKind::sub, any(), splat_of(2))));
  EXPECT_FALSE(matches(value, op(OpKind::add, any(), any())));
}

TEST_F(Pattern, TriesBothOrdersOfOpsThatCommute) {
  double factor = 0;
  ir::Value other;

  EXPECT_TRUE(matches(build_.op(OpKind::mul, {build_.scalar(DType::f32, 2), x_}),
                      op(OpKind::mul, any(other), splat(factor))));
  EXPECT_EQ(other, x_);
  EXPECT_FALSE(matches(build_.op(OpKind::div, {build_.scalar(DType::f32, 2), x_}),
                       op(OpKind::div, any(other), splat(factor))));
}

TEST_F(Pattern, ComparesWithWhatWasBoundBefore) {
  ir::Value first;

  EXPECT_TRUE(matches(build_.op(OpKind::sub, {x_, x_}), op(OpKind::sub, any(first), same(first))));
  EXPECT_FALSE(matches(build_.op(OpKind::sub, {x_, y_}), op(OpKind::sub, any(first), same(first))));
}

TEST_F(Pattern, KnowsWhetherAValueIsReadElsewhere) {
  const ir::Value shared = build_.op(OpKind::exp, {x_});
  const ir::Value once = build_.op(OpKind::neg, {shared});
  build_.op(OpKind::sub, {shared, once});

  EXPECT_TRUE(matches(once, only_use(op(OpKind::neg, any()))));
  EXPECT_FALSE(matches(shared, only_use(op(OpKind::exp, any()))));
}

}  // namespace
}  // namespace wick::passes::pattern
