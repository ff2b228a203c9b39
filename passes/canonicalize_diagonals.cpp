// Diagonals among zeros, as they are embedded, and as gradients of diagonals come out.

#include <algorithm>

#include "wick/passes/canonicalize_rules.h"

namespace wick::passes {

namespace {

using ir::Node;
using ir::OpKind;
using ir::Value;
using Integers = std::vector<int64_t>;

/// Where the elements of a vector lie in a matrix: the first one, each next a row and a column on.
struct Diagonal {
  int64_t rows = 0;
  int64_t columns = 0;
  int64_t row = 0;
  int64_t column = 0;
  int64_t length = 0;
};

/// The number for the last axis; -1 if there is another for one in front of it.
int64_t of_last_axis(const Node& pad, std::string_view name) {
  const Integers& numbers = pad.attributes().integers(name);
  if (numbers.empty()) return 0;
  const bool is_alone =
      std::ranges::count(numbers, 0) + (numbers.back() != 0 ? 1 : 0) == std::ssize(numbers);
  return is_alone ? numbers.back() : -1;
}

/// What a padded last axis is when it is seen as the rows and columns of `shape`; of length 0 when
/// that is no diagonal.
Diagonal diagonal_of(const Node& pad, const Shape& shape) {
  const Shape& from = pad.operand(0).type().shape;
  const Shape& flat = pad.type().shape;
  const int rank = shape.ndim();
  if (from.ndim() == 0 || rank != flat.ndim() + 1) return {};
  for (int d = 0; d + 2 < rank; ++d) {
    if (shape[d] != flat[d]) return {};
  }
  Diagonal diagonal{.rows = shape[rank - 2], .columns = shape[rank - 1]};
  const int64_t low = of_last_axis(pad, "low");
  const int64_t gap = of_last_axis(pad, "interior");
  if (low < 0 || of_last_axis(pad, "high") < 0 || gap != diagonal.columns || gap == 0) return {};
  diagonal.row = low / diagonal.columns;
  diagonal.column = low % diagonal.columns;
  const int64_t length = from[from.ndim() - 1];
  if (diagonal.column + length <= diagonal.columns) diagonal.length = length;
  return diagonal;
}

Value positions(RuleBuilder& build, int64_t axis, Integers shape) {
  return build.op(
      OpKind::iota, {}, {{"axis", axis}, {"dtype", DType::i64}, {"shape", std::move(shape)}});
}

/// Each element of the matrix asks whether it is in its row's column, instead of dividing its
/// position in memory by the distance of two elements of the diagonal.
Value reshape_of_diagonal(const Node& node, RuleBuilder& build) {
  const Node* pad = producer(node.operand(0), OpKind::pad);
  if (pad == nullptr) return {};
  const Shape& shape = node.type().shape;
  const Diagonal diagonal = diagonal_of(*pad, shape);
  if (diagonal.length == 0) return {};
  const Value zero = pad->operand(1);
  const Shape& from = pad->operand(0).type().shape;
  Integers low(static_cast<size_t>(from.ndim()), 0);
  Integers high = low;
  low.back() = diagonal.row;
  high.back() = diagonal.rows - diagonal.row - diagonal.length;
  const Value by_row = build.op(
      OpKind::pad, {pad->operand(0), zero}, {{"low", std::move(low)}, {"high", std::move(high)}});
  Integers column_shape(shape.begin(), shape.end());
  column_shape.back() = 1;
  const Value row = positions(build, 0, {diagonal.rows, 1});
  const Value column = positions(build, 1, {1, diagonal.columns});
  const Literal shift = Literal::scalar_integer(DType::i64, diagonal.column - diagonal.row);
  const Value wanted = build.op(OpKind::add, {row, build.constant(shift)});
  const Value is_on = build.op(OpKind::eq, {wanted, column});
  return build.op(OpKind::where, {is_on, build.reshape(by_row, Shape(column_shape)), zero});
}

const Rule kDiagonalRules[] = {{"reshape-of-diagonal", OpKind::reshape, reshape_of_diagonal}};

}  // namespace

std::span<const Rule> diagonal_rules() {
  return kDiagonalRules;
}

}  // namespace wick::passes
