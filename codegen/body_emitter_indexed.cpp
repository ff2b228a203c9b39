// Ops whose elements depend on where they are, or that take them from several places.

#include <algorithm>
#include <limits>

#include "wick/codegen/body_emitter.h"
#include "wick/ir/check.h"

namespace wick::codegen {

namespace {

using ir::AffineExpr;
using ir::OpKind;

int64_t axis_of(const ir::Node& node, int rank) {
  const int64_t axis = node.attributes().integer("axis", 0);
  return axis < 0 ? axis + rank : axis;
}

int64_t at_or_zero(const std::vector<int64_t>& numbers, size_t i) {
  return numbers.empty() ? 0 : numbers[i];
}

}  // namespace

int BodyEmitter::build_iota(const Request& request) {
  const Type& type = request.node->type();
  const int64_t axis = axis_of(*request.node, type.shape.ndim());
  const int position = index(request, request.map[static_cast<size_t>(axis)]);
  const int rounded = cast(request, position, type.dtype);
  return cast(request, rounded, compute_dtype(type.dtype));
}

int BodyEmitter::build_random(const Request& request, const std::vector<int>& values) {
  const Shape& shape = request.node->type().shape;
  DraftInstr draft;
  draft.instr.kind = InstrKind::random_bits;
  draft.instr.op = OpKind::random_bits;
  draft.instr.dtype = DType::i32;
  draft.instr.operands = {
      values[0], values[1], index(request, linearize(request.map, shape, draft_.domain().extents))};
  return draft_.append(phase_of(request), std::move(draft));
}

/// `so_far` and 0 <= expr < bound.
int BodyEmitter::within(const Request& request, const AffineExpr& expr, int64_t bound, int so_far) {
  const int position = index(request, expr);
  const int above = compute(request, OpKind::le, DType::bool_, {constant(0), position});
  const int below = compute(request, OpKind::lt, DType::bool_, {position, number(request, bound)});
  return both(request, so_far, both(request, above, below));
}

int BodyEmitter::concat_predicate(const Request& request, int operand) {
  const ir::Node& node = *request.node;
  const int rank = node.type().shape.ndim();
  const auto axis = static_cast<int>(axis_of(node, rank));
  AffineExpr expr = request.map[static_cast<size_t>(axis)];
  expr.offset -= ir::concat_offset(node, operand);
  expr.free_offset = true;
  const int64_t extent = node.operand(operand).type().shape[axis];
  return within(request, expr, extent, request.predicate);
}

int BodyEmitter::build_concat(const Request& request, const std::vector<int>& values) {
  const ir::Node& node = *request.node;
  const auto axis = static_cast<size_t>(axis_of(node, node.type().shape.ndim()));
  const DType dtype = compute_dtype(node.type().dtype);
  int value = values.back();
  for (int i = node.num_operands() - 2; i >= 0; --i) {
    const int end = number(request, ir::concat_offset(node, i + 1));
    const int before =
        compute(request, OpKind::lt, DType::bool_, {index(request, request.map[axis]), end});
    value = compute(request, OpKind::where, dtype, {before, values[static_cast<size_t>(i)], value});
  }
  return value;
}

/// Whether the position lies on an element of the padded value.
int BodyEmitter::pad_predicate(const Request& request) {
  const ir::Node& node = *request.node;
  const std::vector<int64_t>& low = node.attributes().integers("low");
  const std::vector<int64_t>& high = node.attributes().integers("high");
  const std::vector<int64_t>& interior = node.attributes().integers("interior");
  const Shape& shape = node.operand(0).type().shape;
  int predicate = request.predicate;
  for (size_t i = 0; i < request.map.size(); ++i) {
    const int64_t gap = at_or_zero(interior, i);
    if (at_or_zero(low, i) == 0 && at_or_zero(high, i) == 0 && gap == 0) continue;
    AffineExpr expr = request.map[i];
    expr.offset -= at_or_zero(low, i);
    expr.free_offset = true;
    const int64_t last = shape[static_cast<int>(i)] - 1;
    predicate = within(request, expr, last < 0 ? 0 : last * (gap + 1) + 1, predicate);
    if (gap == 0) continue;
    const Division element = element_before(request, expr, gap + 1);
    const int start =
        compute(request, OpKind::mul, element.dtype, {element.quotient, element.divisor});
    predicate = both(
        request, predicate, compute(request, OpKind::eq, DType::bool_, {start, element.dividend}));
  }
  return predicate;
}

/// Of positions along an axis on which elements are `step` apart. Vectors divide 32 bits.
BodyEmitter::Division BodyEmitter::element_before(const Request& request,
                                                  const AffineExpr& expr,
                                                  int64_t step) {
  const bool is_short = request.node->type().shape.numel() <= std::numeric_limits<int32_t>::max();
  Division division{.dtype = is_short ? DType::i32 : DType::i64};
  division.dividend = cast(request, index(request, expr), division.dtype);
  division.divisor = cast(request, number(request, step), division.dtype);
  division.quotient =
      compute(request, OpKind::div, division.dtype, {division.dividend, division.divisor});
  return division;
}

/// Row-major number of the element under the position, where there is one.
int BodyEmitter::interior_pad_index(const Request& request) {
  const ir::Node& node = *request.node;
  const std::vector<int64_t>& low = node.attributes().integers("low");
  const std::vector<int64_t>& interior = node.attributes().integers("interior");
  const std::vector<int64_t> strides = row_major_strides(node.operand(0).type().shape);
  int sum = constant(0);
  for (size_t i = 0; i < request.map.size(); ++i) {
    AffineExpr expr = request.map[i];
    expr.offset -= at_or_zero(low, i);
    expr.free_offset = true;
    const int64_t gap = at_or_zero(interior, i);
    const int position =
        gap == 0 ? index(request, expr)
                 : cast(request, element_before(request, expr, gap + 1).quotient, DType::i64);
    const int scaled =
        compute(request, OpKind::mul, DType::i64, {position, number(request, strides[i])});
    sum = compute(request, OpKind::add, DType::i64, {sum, scaled});
  }
  return sum;
}

/// Where the predicate is false.
bool BodyEmitter::is_zero_outside(int value, int predicate) const {
  const Instr& at = draft_.instr(value).instr;
  return at.kind == InstrKind::load && at.predicate == predicate;
}

/// A constant of no bits.
bool BodyEmitter::is_zero(int value) const {
  const Instr& at = draft_.instr(value).instr;
  return at.kind == InstrKind::constant &&
         std::ranges::count(at.value.bytes(), std::byte{0}) == std::ssize(at.value.bytes());
}

int BodyEmitter::build_pad(const Request& request, const std::vector<int>& values) {
  const ir::Node& node = *request.node;
  Request inside = request;
  inside.predicate = pad_predicate(request);
  int value = values[0];
  if (values.size() == 1) {  // The padding alone: the elements lie at computed positions.
    AffineExpr start;
    start.coefs.assign(draft_.domain().extents.size(), 0);
    value = load(inside, node.operand(0), start, interior_pad_index(request), 1);
  }
  if (inside.predicate == request.predicate) return value;
  if (is_zero_outside(value, inside.predicate) && is_zero(values.back())) return value;
  return compute(request,
                 OpKind::where,
                 compute_dtype(node.type().dtype),
                 {inside.predicate, value, values.back()});
}

int BodyEmitter::build_gather(const Request& request, const std::vector<int>& values) {
  if (values.size() == 2) return values[0];  // Of a constant.
  const ir::Node& node = *request.node;
  const Shape& shape = node.operand(0).type().shape;
  const auto axis = static_cast<size_t>(axis_of(node, shape.ndim()));
  const auto index_rank = static_cast<size_t>(node.operand(1).type().shape.ndim());
  const std::vector<int64_t> strides = row_major_strides(shape);
  const int wide = cast(request, values[0], DType::i64);
  const int last = number(request, shape[static_cast<int>(axis)] - 1);
  const int low = compute(request, OpKind::maximum, DType::i64, {wide, constant(0)});
  const int clamped = compute(request, OpKind::minimum, DType::i64, {low, last});
  AffineExpr fixed;
  fixed.coefs.assign(draft_.domain().extents.size(), 0);
  if (node.attributes().flag("along")) {
    ir::IndexMap beside = request.map;
    beside[axis] = fixed;
    const AffineExpr linear = linearize(beside, shape, draft_.domain().extents);
    if (strides[axis] == 1) {  // The rows' numbers, which rows that are walked as one count.
      const int64_t length = shape[static_cast<int>(axis)];
      AffineExpr row = linear;
      row.offset /= length;
      for (int64_t& coef : row.coefs)
        coef /= length;
      const int begin =
          compute(request, OpKind::mul, DType::i64, {index(request, row), number(request, length)});
      const int place = compute(request, OpKind::add, DType::i64, {begin, clamped});
      return load(request, node.operand(0), fixed, place, 1);
    }
    return load(request, node.operand(0), linear, clamped, strides[axis]);
  }
  ir::IndexMap map(request.map.begin(), request.map.begin() + static_cast<std::ptrdiff_t>(axis));
  map.push_back(fixed);
  map.insert(map.end(),
             request.map.begin() + static_cast<std::ptrdiff_t>(axis + index_rank),
             request.map.end());
  const AffineExpr linear = linearize(map, shape, draft_.domain().extents);
  return load(request, node.operand(0), linear, clamped, strides[axis]);
}

}  // namespace wick::codegen
