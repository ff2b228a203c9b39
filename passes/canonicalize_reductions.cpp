#include <algorithm>
#include <utility>

#include "wick/passes/canonicalize_rules.h"
#include "wick/passes/options.h"

namespace wick::passes {

namespace {

using ir::Node;
using ir::OpKind;
using ir::Value;
using Integers = std::vector<int64_t>;

bool reduces_only_units(const Node& node) {
  const Shape& shape = node.operand(0).type().shape;
  return std::ranges::all_of(node.attributes().integers("axes"),
                             [&](int64_t axis) { return shape[static_cast<int>(axis)] == 1; });
}

/// Each result is one element. This alone may change bits: a sum that starts from +0 turns -0 to
/// +0, the element by itself stays -0, as NumPy has it.
Value reduce_of_units(const Node& node, RuleBuilder& build) {
  if (!reduces_only_units(node)) return {};
  return build.reshape(node.operand(0), node.type().shape);
}

Value position_of_units(const Node& node, RuleBuilder& build) {
  if (!reduces_only_units(node)) return {};
  return build.spread(build.scalar(DType::i64, 0));
}

/// Whether what is reduced in parts is no less exact: a part of halves would be rounded to one.
bool keeps_exact_sums(const Node& node) {
  const DType dtype = node.operand(0).type().dtype;
  const bool is_exact = dtype == DType::f32 || dtype == DType::f64 || is_integer(dtype);
  return is_exact && node.type().dtype == dtype;
}

/// Axes of the inner reduction's operand that both reductions together reduce.
Integers joined_axes(const Node& inner, const Node& outer) {
  const Integers& first = inner.attributes().integers("axes");
  Integers left;  // axes of the operand that the outer reduction sees, in order
  for (int64_t axis = 0; axis < inner.operand(0).type().shape.ndim(); ++axis) {
    const bool reduced = std::ranges::find(first, axis) != first.end();
    if (!reduced || inner.attributes().flag("keepdims")) {
      left.push_back(axis);
    }
  }
  Integers axes = first;
  for (const int64_t axis : outer.attributes().integers("axes")) {
    axes.push_back(left[static_cast<size_t>(axis)]);
  }
  std::ranges::sort(axes);
  const auto duplicates = std::ranges::unique(axes);
  axes.erase(duplicates.begin(), duplicates.end());
  return axes;
}

bool is_single(Value value) {
  return value.type().numel() == 1;
}

/// What the value is computed from by elementwise ops of its shape that nothing else reads, each
/// before what it is made of. None where rows cannot be joined in all of it: what is broadcast
/// would be read by columns that no stride describes.
std::vector<Value> expression_of(Value value) {
  constexpr size_t kMostValues = 16;
  std::vector<Value> all = {value};
  for (size_t i = 0; i < all.size(); ++i) {
    const Node& node = *all[i].node;
    if (is_single(all[i])) continue;
    if (all[i].type().numel() != value.type().numel() || i == kMostValues) return {};
    if (node.op() == OpKind::parameter || ir::has(node.op(), ir::kContraction)) continue;
    if (!ir::has(node.op(), ir::kElementwise) || node.uses().size() > 1) return {};
    all.insert(all.end(), node.operands().begin(), node.operands().end());
  }
  return all;
}

/// What is reduced first of some columns: `count` rows behind each other, in each of so many
/// blocks.
struct Rows {
  int64_t blocks;
  int64_t count;
};

/// Whether a value that is broadcast to `shape` is the same in all rows of a block.
bool is_same_in_rows(const Shape& value, const Shape& shape, Rows rows) {
  const int missing = shape.ndim() - value.ndim();
  const int64_t end = rows.blocks * rows.count;
  int64_t before = 1;
  for (int axis = 0; axis < shape.ndim() && before < end; before *= shape[axis++]) {
    if (shape[axis] == 1) continue;
    if (before < rows.blocks ? before * shape[axis] > rows.blocks
                             : axis >= missing && value[axis - missing] != 1)
      return false;
  }
  return before == end;
}

/// Whether all that is computed for the columns behind these rows is, for each, the same in all
/// rows of a block, or has its place in memory behind that of the column before.
bool has_columns_in_order(Value value, Rows rows) {
  constexpr size_t kMostValues = 64;
  std::vector<Value> all = {value};
  for (size_t i = 0; i < all.size(); ++i) {
    if (i == kMostValues) return false;
    const Node& node = *all[i].node;
    if (node.op() == OpKind::parameter || ir::has(node.op(), ir::kContraction)) continue;
    if (!ir::has(node.op(), ir::kElementwise) && node.op() != OpKind::reshape) return false;
    for (const Value operand : node.operands()) {
      if (operand.type().numel() != value.type().numel()) {
        if (!is_same_in_rows(operand.type().shape, node.type().shape, rows)) return false;
      } else if (std::ranges::find(all, operand) == all.end()) {
        all.push_back(operand);
      }
    }
  }
  return true;
}

/// Of these axes of the reduction's operand those in front of others that are kept, where what is
/// reduced behind these is so short that whole columns are better reduced down first: elements of a
/// result lie in as many places as the first axes have positions. None where that does not pay.
Integers axes_to_reduce_first(const Node& reduction, Integers axes) {
  constexpr int64_t kFewestRows = 16;
  constexpr int64_t kPiece = 15;                 // elements: fewer than a vector has, where
  constexpr int64_t kFewestOfPieces = 8;         // rows are worth it
  constexpr int64_t kFewestColumns = 16;         // of each of several blocks
  constexpr int64_t kLeast = int64_t{1} << 13U;  // elements, for which a second kernel is little
  constexpr int64_t kShortRun = 63;              // longer ones are read nearly as fast as they are
  constexpr int64_t kLongestRun = 255;           // or as fast
  constexpr int64_t kNear = int64_t{1} << 16U;   // elements that a core's own cache holds
  constexpr int64_t kEnough = 32;                // results for all cores
  const Shape& shape = reduction.operand(0).type().shape;
  const bool is_exact = keeps_exact_sums(reduction) || is_half(reduction.type().dtype);
  if (targets_gpu() || shape.numel() < kLeast || !is_exact) return {};
  std::ranges::sort(axes);
  const auto reduces = [&](int axis) {
    return shape[axis] != 1 && std::ranges::binary_search(axes, axis);
  };
  const auto keeps = [&](int axis) {
    return shape[axis] != 1 && !std::ranges::binary_search(axes, axis);
  };
  Rows rows{1, 1};
  int front = 0;
  while (front < shape.ndim() && !reduces(front))
    rows.blocks *= shape[front++];
  while (front < shape.ndim() && !keeps(front))
    rows.count *= shape[front++];
  int back = shape.ndim();
  int64_t run = 1;
  while (back > front && !keeps(back - 1))
    run *= shape[--back];
  int64_t kept = 1;
  for (int axis = front; axis < back; ++axis)
    if (keeps(axis)) kept *= shape[axis];
  if (rows.count < (run <= kPiece ? kFewestOfPieces : kFewestRows)) return {};
  if (kept == 1 || run == 1) return {};
  if (rows.blocks > 1 && kept * run < kFewestColumns) return {};
  // What is computed behind the reduction reads again what the cache holds.
  const bool stays_near = rows.count * run <= kNear && rows.blocks * kept >= kEnough;
  if (run > (stays_near ? kShortRun : kLongestRun)) return {};
  if (run > kShortRun && !has_columns_in_order(reduction.operand(0), rows)) return {};
  std::erase_if(axes, [&](int64_t axis) { return axis >= front; });
  return axes;
}

/// Parts of halves are floats, which each is added as anyway.
Value reduce_columns_first(const Node& node, RuleBuilder& build) {
  const Integers& axes = node.attributes().integers("axes");
  const Integers first = axes_to_reduce_first(node, axes);
  if (first.empty()) return {};
  Integers rest;
  for (const int64_t axis : axes)
    if (axis > first.back()) rest.push_back(axis - std::ssize(first));
  const DType dtype = node.type().dtype;
  const auto cast = [&](Value x, DType to) {
    return is_half(dtype) ? build.op(OpKind::cast, {x}, {{"dtype", to}}) : x;
  };
  const Value matrix = cast(node.operand(0), DType::f32);
  const Value columns = build.op(node.op(), {matrix}, {{"axes", first}});
  const Value all = build.op(node.op(), {columns}, {{"axes", rest}});
  return build.reshape(cast(all, dtype), node.type().shape);
}

/// For sums of floats this rounds once less.
Value reduce_of_reduce(const Node& node, RuleBuilder& build) {
  const Node* inner = producer(node.operand(0), node.op());
  if (inner == nullptr || inner->uses().size() != 1) return {};
  ir::Attributes attributes = node.attributes();
  const Integers axes = joined_axes(*inner, node);
  const Integers first = axes_to_reduce_first(*inner, axes);
  const bool is_first = !first.empty() && first == inner->attributes().integers("axes");
  if (is_first && keeps_exact_sums(*inner)) return {};
  attributes.set("axes", axes);
  const Value all = build.op(node.op(), {inner->operand(0)}, std::move(attributes));
  return build.reshape(all, node.type().shape);
}

bool is_only_summed(const Node& node) {
  return std::ranges::all_of(node.uses(), [](const ir::Use& use) {
    if (use.user == nullptr) return false;
    if (use.user->op() == OpKind::neg) return is_only_summed(*use.user);
    return use.user->op() == OpKind::reduce_sum;
  });
}

/// The sum of x + x is that of x twice, to the bit, unless it overflows on the way: so come
/// gradients of squares. Of the negatives it is +0 where the other is, since sums start from +0.
Value sum_of_twice(const Node& node, RuleBuilder& build) {
  const DType dtype = node.type().dtype;
  if (dtype != DType::f32 && dtype != DType::f64) return {};
  const Node* negated = producer(node.operand(0), OpKind::neg);
  const Value summed = negated == nullptr ? node.operand(0) : negated->operand(0);
  const Node* twice = producer(summed, OpKind::add);
  if (twice == nullptr || twice->operand(0) != twice->operand(1) || !is_only_summed(*twice))
    return {};
  const Value sum = build.op(OpKind::reduce_sum, {twice->operand(0)}, node.attributes());
  const Value doubled = build.op(OpKind::add, {sum, sum});
  if (negated == nullptr) return doubled;
  return build.op(OpKind::sub, {build.scalar(dtype, 0), doubled});
}

// A tall matrix of few columns, summed over its rows, fills a small part of each vector. So many
// rows in one make a matrix of whole vectors, whose columns are summed first.
constexpr int64_t kJoinedRows = 64;
constexpr int64_t kMostColumns = 8;  // of more, vectors are full enough
constexpr int64_t kLeastElements = int64_t{1} << 16U;

/// Columns where the axes that are reduced are the first ones, else 0.
int64_t columns_behind(const Node& reduction) {
  const Shape& shape = reduction.operand(0).type().shape;
  Integers axes = reduction.attributes().integers("axes");
  std::ranges::sort(axes);
  for (size_t i = 0; i < axes.size(); ++i) {
    if (axes[i] != static_cast<int64_t>(i)) return 0;
  }
  int64_t columns = 1;
  for (int axis = static_cast<int>(axes.size()); axis < shape.ndim(); ++axis)
    columns *= shape[axis];
  return columns;
}

/// Whether a matrix whose rows cannot be joined in what it is computed from is better stored first:
/// it is a result as well, or takes longer to compute than to load, and of few columns so
/// many times as long as whole vectors would take.
bool is_better_stored(Value tall) {
  constexpr size_t kMostSearched = 16;
  if (targets_gpu() || !ir::has(tall.node->op(), ir::kElementwise)) return false;
  const auto is_result = [](const ir::Use& use) { return use.user == nullptr; };
  if (std::ranges::any_of(tall.node->uses(), is_result)) return true;
  std::vector<const Node*> ops = {tall.node};
  for (size_t i = 0; i < std::min(ops.size(), kMostSearched); ++i) {
    if (ir::has(ops[i]->op(), ir::kCostly)) return true;
    for (const Value operand : ops[i]->operands()) {
      const bool is_inside = operand.type().numel() == tall.type().numel() &&
                             ir::has(operand.node->op(), ir::kElementwise);
      if (is_inside) ops.push_back(operand.node);
    }
  }
  return false;
}

/// Some rows of a matrix that is computed from others of its shape.
class RowsOf {
 public:
  RowsOf(std::vector<Value> expression, const Shape& matrix, RuleBuilder& build)
      : expression_(std::move(expression)),
        matrix_(matrix),
        build_(build) {}

  Value rows(int64_t first, int64_t count) {
    std::vector<Value> made(expression_.size());
    for (size_t i = expression_.size(); i-- > 0;)
      made[i] = rows_of(expression_[i], first, count, made);
    return made[0];
  }

 private:
  Value rows_of(Value value, int64_t first, int64_t count, const std::vector<Value>& made) {
    if (is_single(value)) return build_.reshape(value, {});
    const Node& node = *value.node;
    if (is_given(node)) {
      return build_.op(OpKind::slice,
                       {build_.reshape(value, matrix_)},
                       {{"starts", Integers{first, 0}}, {"sizes", Integers{count, matrix_[1]}}});
    }
    std::vector<Value> operands;
    for (const Value operand : node.operands()) {
      const auto at = std::ranges::find(expression_, operand) - expression_.begin();
      operands.push_back(made[static_cast<size_t>(at)]);
    }
    return build_.op(node.op(), std::move(operands), node.attributes());
  }

  /// Not computed here: what is has its operands in the expression.
  [[nodiscard]] bool is_given(const Node& node) const {
    return !ir::has(node.op(), ir::kElementwise) || expression_.size() == 1;
  }

  std::vector<Value> expression_;
  Shape matrix_;
  RuleBuilder& build_;
};

Value combine(OpKind reduction, Value x, Value y, RuleBuilder& build) {
  if (reduction == OpKind::reduce_sum) return build.op(OpKind::add, {x, y});
  return build.op(reduction == OpKind::reduce_max ? OpKind::maximum : OpKind::minimum, {x, y});
}

Value reduce_of_tall(const Node& node, RuleBuilder& build) {
  const Value tall = node.operand(0);
  const int64_t columns = columns_behind(node);
  if (columns < 2 || columns > kMostColumns || !keeps_exact_sums(node)) return {};
  if (tall.type().numel() < kLeastElements) return {};
  std::vector<Value> expression = expression_of(tall);
  if (expression.empty() && is_better_stored(tall)) expression = {tall};
  if (expression.empty()) return {};
  const int64_t rows = tall.type().numel() / columns;
  const int64_t joined = rows / kJoinedRows;
  const int64_t whole = joined * kJoinedRows;
  RowsOf matrix(std::move(expression), {rows, columns}, build);
  const auto reduced = [&](Value x) { return build.op(node.op(), {x}, {{"axes", Integers{0}}}); };
  const Value wide = build.reshape(matrix.rows(0, whole), {joined, kJoinedRows * columns});
  Value result = reduced(build.reshape(reduced(wide), {kJoinedRows, columns}));
  if (whole < rows)
    result = combine(node.op(), result, reduced(matrix.rows(whole, rows - whole)), build);
  return build.reshape(result, node.type().shape);
}

const Rule kReductionRules[] = {
    {"reduce-of-units", OpKind::reduce_sum, reduce_of_units},
    {"reduce-of-units", OpKind::reduce_prod, reduce_of_units},
    {"reduce-of-units", OpKind::reduce_max, reduce_of_units},
    {"reduce-of-units", OpKind::reduce_min, reduce_of_units},
    {"position-of-units", OpKind::argmax, position_of_units},
    {"reduce-columns-first", OpKind::reduce_sum, reduce_columns_first},
    {"reduce-columns-first", OpKind::reduce_max, reduce_columns_first},
    {"reduce-columns-first", OpKind::reduce_min, reduce_columns_first},
    {"reduce-of-reduce", OpKind::reduce_sum, reduce_of_reduce},
    {"reduce-of-reduce", OpKind::reduce_max, reduce_of_reduce},
    {"reduce-of-reduce", OpKind::reduce_min, reduce_of_reduce},
    {"sum-of-twice", OpKind::reduce_sum, sum_of_twice},
    {"reduce-of-tall", OpKind::reduce_sum, reduce_of_tall},
    {"reduce-of-tall", OpKind::reduce_max, reduce_of_tall},
    {"reduce-of-tall", OpKind::reduce_min, reduce_of_tall},
};

}  // namespace

std::span<const Rule> reduction_rules() {
  return kReductionRules;
}

}  // namespace wick::passes
