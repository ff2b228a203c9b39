#include "wick/ir/index_map.h"

#include <numeric>

#include <gtest/gtest.h>

#include "wick/ir/interpreter.h"
#include "wick/ir/parser.h"

namespace wick::ir {
namespace {

using Level = Domain::Level;

int64_t value_at(const AffineExpr& expr, const std::vector<int64_t>& positions) {
  int64_t sum = expr.offset;
  for (size_t d = 0; d < positions.size(); ++d)
    sum += expr.coefs[d] * positions[d];
  return sum;
}

/// Calls `visit` with every position of the box in row-major order.
template <typename Visit>
void for_each_position(const std::vector<int64_t>& extents, Visit visit) {
  const int64_t count =
      std::accumulate(extents.begin(), extents.end(), int64_t{1}, std::multiplies<>{});
  std::vector<int64_t> positions(extents.size());
  for (int64_t i = 0; i < count; ++i) {
    int64_t rest = i;
    for (size_t d = extents.size(); d-- > 0;) {
      positions[d] = rest % extents[d];
      rest /= extents[d];
    }
    visit(i, positions);
  }
}

/// The last op of the graph reads parameter 0 where its map says: checked against the interpreter.
void expect_map_agrees(const std::string& text, Domain domain = {}) {
  const auto graph = parse_graph(text);
  const Node& node = *graph->results()[0].node;
  const Shape& from = node.operand(0).type().shape;
  if (domain.extents.empty()) domain = Domain(node.type().shape);
  Literal input(Type{DType::i64, from});
  std::iota(input.mutable_values<int64_t>().begin(), input.mutable_values<int64_t>().end(), 0);
  const Literal output = interpret(*graph, std::vector<Literal>{input})[0];

  const auto map = domain.aligned_map(node.type().shape, Level::full);
  ASSERT_TRUE(map.has_value());
  const auto read = operand_map(node, 0, *map, domain.extents);

  ASSERT_TRUE(read.has_value()) << text;
  const AffineExpr linear = linearize(*read, from, domain.extents);
  for_each_position(domain.extents, [&](int64_t i, const std::vector<int64_t>& positions) {
    EXPECT_EQ(value_at(linear, positions), output.as_integer(i)) << text << i;
  });
}

TEST(IndexMap, MovementOps) {
  expect_map_agrees(R"(graph @f(%x: i64[2,3,4]) -> (i64[4,2,3]) {
    %0 = permute %x {axes = [2,0,1]} : i64[4,2,3]
    return %0 })");
  expect_map_agrees(R"(graph @f(%x: i64[9,4]) -> (i64[3,2]) {
    %0 = slice %x {sizes = [3,2], starts = [7,0], steps = [-3,2]} : i64[3,2]
    return %0 })");
  expect_map_agrees(R"(graph @f(%x: i64[3,1]) -> (i64[2,3,4]) {
    %0 = broadcast %x {shape = [2,3,4]} : i64[2,3,4]
    return %0 })");
  expect_map_agrees(R"(graph @f(%x: i64[6,4]) -> (i64[2,3,1,4]) {
    %0 = reshape %x {shape = [2,3,1,4]} : i64[2,3,1,4]
    return %0 })");
  expect_map_agrees(R"(graph @f(%x: i64[2,3,4]) -> (i64[6,4]) {
    %0 = reshape %x {shape = [6,4]} : i64[6,4]
    return %0 })",
                    Domain(Shape{2, 3, 4}));
}

TEST(IndexMap, ReshapeThatDoesNotSplitHasNone) {
  const auto graph = parse_graph(R"(graph @f(%x: i64[2,3]) -> (i64[3,2]) {
    %0 = reshape %x {shape = [3,2]} : i64[3,2]
    return %0 })");
  const Node& node = *graph->results()[0].node;
  const Domain domain(node.type().shape);

  EXPECT_FALSE(
      operand_map(node, 0, *domain.aligned_map(node.type().shape, Level::full), domain.extents));
}

TEST(IndexMap, ReversedDimensionsSplit) {
  // Element 5 - p of six is element [1 - p / 3][2 - p % 3] of two by three.
  const std::vector<int64_t> extents{2, 3};
  const AffineExpr reversed{.offset = 5, .coefs = {-3, -1}};

  const auto map = delinearize(reversed, Shape{2, 3}, extents);

  ASSERT_TRUE(map.has_value());
  EXPECT_EQ((*map)[0], (AffineExpr{.offset = 1, .coefs = {-1, 0}}));
  EXPECT_EQ((*map)[1], (AffineExpr{.offset = 2, .coefs = {0, -1}}));
}

TEST(Domain, RefinesToTheCommonSplit) {
  Domain domain(Shape{6, 4});
  EXPECT_TRUE(domain.refine(Shape{2, 12}, Level::full));
  EXPECT_EQ(domain.extents, (std::vector<int64_t>{2, 3, 4}));
  EXPECT_FALSE(domain.refine(Shape{3, 8}, Level::full));
  EXPECT_EQ(domain.extents, (std::vector<int64_t>{2, 3, 4}));
}

TEST(Domain, RowsLeaveReducedDimensionsOut) {
  const std::vector<int64_t> axes{1};
  Domain domain(Shape{6, 5, 4}, axes);
  EXPECT_EQ(domain.numel(Level::row), 24);
  EXPECT_TRUE(domain.refine(Shape{2, 12}, Level::row));
  EXPECT_EQ(domain.extents, (std::vector<int64_t>{2, 3, 5, 4}));
  EXPECT_EQ(domain.reduced, (std::vector<bool>{false, false, true, false}));

  Domain other(Shape{6, 5, 4});
  EXPECT_FALSE(domain.refine(other));
}

TEST(Domain, RefusesShapesOfOtherSizes) {
  Domain domain(Shape{6, 4});
  EXPECT_FALSE(domain.refine(Shape{6}, Level::full));
  EXPECT_FALSE(domain.refine(Shape{4, 6, 4}, Level::full));
  EXPECT_FALSE(domain.refine(Shape{}, Level::full));
  Domain scalar{Shape{}};
  EXPECT_TRUE(scalar.refine(Shape{1, 1}, Level::full));
  Domain empty(Shape{0, 4});
  EXPECT_TRUE(empty.refine(Shape{0, 4}, Level::full));
  EXPECT_FALSE(empty.refine(Shape{4, 0}, Level::full));
}

}  // namespace
}  // namespace wick::ir
