#include "wick/ir/index_map.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "wick/ir/check.h"

namespace wick::ir {

namespace {

using Level = Domain::Level;

AffineExpr constant_expr(int64_t value, size_t num_dims) {
  return {.offset = value, .coefs = std::vector<int64_t>(num_dims, 0)};
}

int64_t floor_mod(int64_t value, int64_t modulus) {
  const int64_t rest = value % modulus;
  return rest < 0 ? rest + modulus : rest;
}

/// Element of an attribute with one number an axis, which may be left out.
int64_t at_or(const std::vector<int64_t>& numbers, size_t i, int64_t fallback) {
  return numbers.empty() ? fallback : numbers[i];
}

void add_scaled(AffineExpr& sum, const AffineExpr& term, int64_t scale) {
  sum.offset += term.offset * scale;
  for (size_t d = 0; d < sum.coefs.size(); ++d)
    sum.coefs[d] += term.coefs[d] * scale;
  sum.free_offset = sum.free_offset || term.free_offset;
}

/// Whether 0 <= expr < bound at every position.
bool stays_within(const AffineExpr& expr, int64_t bound, Extents extents) {
  int64_t low = expr.offset;
  int64_t high = expr.offset;
  for (size_t d = 0; d < extents.size(); ++d) {
    const int64_t reach = expr.coefs[d] * std::max<int64_t>(extents[d] - 1, 0);
    (reach < 0 ? low : high) += reach;
  }
  return low >= 0 && high < bound;
}

/// A dimension that moves on from this axis into the next one, cut where it does.
std::optional<DimSplit> helpful_split(const AffineExpr& digit, int64_t extent, Extents extents) {
  for (size_t d = 0; d < extents.size(); ++d) {
    const int64_t step = std::abs(digit.coefs[d]);
    if (step == 0 || extent % step != 0) continue;
    const int64_t inner = extent / step;
    if (inner > 1 && inner < extents[d] && extents[d] % inner == 0) {
      return DimSplit{.dim = d, .inner = inner};
    }
  }
  return std::nullopt;
}

/// Whether values of the level move along a dimension.
bool counts(Level level, bool is_reduced) {
  return level == Level::full || (level == Level::column) == is_reduced;
}

IndexMap broadcast_map(const Shape& operand, const Shape& result, const IndexMap& map) {
  const int lead = result.ndim() - operand.ndim();
  const size_t num_dims = map.empty() ? 0 : map.front().coefs.size();
  IndexMap out;
  out.reserve(static_cast<size_t>(operand.ndim()));
  for (int axis = 0; axis < operand.ndim(); ++axis) {
    out.push_back(operand[axis] == 1 ? constant_expr(0, num_dims)
                                     : map[static_cast<size_t>(axis + lead)]);
  }
  return out;
}

IndexMap permute_map(const Node& node, const IndexMap& map) {
  const std::vector<int64_t>& axes = node.attributes().integers("axes");
  IndexMap out(map.size());
  for (size_t i = 0; i < map.size(); ++i)
    out[static_cast<size_t>(axes[i])] = map[i];
  return out;
}

IndexMap slice_map(const Node& node, const IndexMap& map) {
  const std::vector<int64_t>& starts = node.attributes().integers("starts");
  const std::vector<int64_t>& steps = node.attributes().integers("steps");
  IndexMap out;
  for (size_t i = 0; i < map.size(); ++i) {
    AffineExpr expr = constant_expr(at_or(starts, i, 0), map[i].coefs.size());
    add_scaled(expr, map[i], at_or(steps, i, 1));
    expr.free_offset = true;
    out.push_back(std::move(expr));
  }
  return out;
}

IndexMap concat_map(const Node& node, int operand, const IndexMap& map) {
  IndexMap out = map;
  const int64_t axis = node.attributes().integer("axis", 0);
  AffineExpr& expr = out[static_cast<size_t>(axis < 0 ? axis + std::ssize(map) : axis)];
  expr.offset -= concat_offset(node, operand);
  expr.free_offset = true;
  return out;
}

std::optional<IndexMap> pad_map(const Node& node, int operand, const IndexMap& map) {
  if (operand == 1) return IndexMap{};
  const std::vector<int64_t>& low = node.attributes().integers("low");
  const std::vector<int64_t>& interior = node.attributes().integers("interior");
  if (std::ranges::any_of(interior, [](int64_t gap) { return gap != 0; })) return std::nullopt;
  IndexMap out = map;
  for (size_t i = 0; i < out.size(); ++i) {
    out[i].offset -= at_or(low, i, 0);
    out[i].free_offset = true;
  }
  return out;
}

std::optional<IndexMap> gather_map(const Node& node, int operand, const IndexMap& map) {
  if (operand == 0) return std::nullopt;
  if (node.attributes().flag("along")) return map;
  const int64_t attribute = node.attributes().integer("axis", 0);
  const int64_t rank = node.operand(0).type().shape.ndim();
  const int64_t axis = attribute < 0 ? attribute + rank : attribute;
  const auto first = map.begin() + axis;
  return IndexMap(first, first + node.operand(1).type().shape.ndim());
}

}  // namespace

bool AffineExpr::is_constant() const {
  return std::ranges::all_of(coefs, [](int64_t coef) { return coef == 0; });
}

AffineExpr row_major_position(Extents extents, const std::vector<bool>& counts) {
  AffineExpr expr = constant_expr(0, extents.size());
  int64_t stride = 1;
  for (size_t d = extents.size(); d-- > 0;) {
    if (!counts[d]) continue;
    expr.coefs[d] = extents[d] == 1 ? 0 : stride;
    stride *= extents[d];
  }
  return expr;
}

AffineExpr linearize(const IndexMap& map, const Shape& shape, Extents extents) {
  check(std::ssize(map) == shape.ndim(), "an index map has one expression for each axis");
  const std::vector<int64_t> strides = row_major_strides(shape);
  AffineExpr sum = constant_expr(0, extents.size());
  for (size_t axis = 0; axis < map.size(); ++axis)
    add_scaled(sum, map[axis], strides[axis]);
  return sum;
}

std::optional<IndexMap> delinearize(const AffineExpr& linear,
                                    const Shape& shape,
                                    Extents extents,
                                    std::optional<DimSplit>* wanted) {
  IndexMap map(static_cast<size_t>(shape.ndim()), constant_expr(0, extents.size()));
  if (shape.numel() == 0) return map;
  AffineExpr rest = linear;
  for (int axis = shape.ndim() - 1; axis >= 0; --axis) {
    const int64_t extent = shape[axis];
    if (extent == 1) continue;
    AffineExpr& digit = map[static_cast<size_t>(axis)];
    digit.offset = floor_mod(rest.offset, extent);
    digit.free_offset = rest.free_offset;
    rest.offset = (rest.offset - digit.offset) / extent;
    for (size_t d = 0; d < extents.size(); ++d) {
      if (rest.coefs[d] % extent == 0) {
        rest.coefs[d] /= extent;
      } else {
        digit.coefs[d] = std::exchange(rest.coefs[d], 0);
      }
    }
    if (!stays_within(digit, extent, extents)) {
      if (wanted != nullptr) *wanted = helpful_split(digit, extent, extents);
      return std::nullopt;
    }
  }
  return map;
}

int64_t concat_offset(const Node& concat, int operand) {
  const int64_t attribute = concat.attributes().integer("axis", 0);
  const int rank = concat.type().shape.ndim();
  const int axis = static_cast<int>(attribute < 0 ? attribute + rank : attribute);
  int64_t offset = 0;
  for (int i = 0; i < operand; ++i)
    offset += concat.operand(i).type().shape[axis];
  return offset;
}

std::optional<IndexMap> operand_map(const Node& node,
                                    int operand,
                                    const IndexMap& result,
                                    Extents extents,
                                    std::optional<DimSplit>* wanted) {
  const Shape& from = node.operand(operand).type().shape;
  const Shape& to = node.type().shape;
  if (has(node.op(), kElementwise)) return broadcast_map(from, to, result);
  switch (node.op()) {
    case OpKind::broadcast:
      return broadcast_map(from, to, result);
    case OpKind::reshape:
      return delinearize(linearize(result, to, extents), from, extents, wanted);
    case OpKind::permute:
      return permute_map(node, result);
    case OpKind::slice:
      return slice_map(node, result);
    case OpKind::concat:
      return concat_map(node, operand, result);
    case OpKind::pad:
      return pad_map(node, operand, result);
    case OpKind::gather:
      return gather_map(node, operand, result);
    case OpKind::random_bits:
      return IndexMap{};
    default:
      return std::nullopt;
  }
}

Domain::Domain(const Shape& shape, std::span<const int64_t> reduced_axes) {
  for (int axis = 0; axis < shape.ndim(); ++axis) {
    if (shape[axis] == 1) continue;
    extents.push_back(shape[axis]);
    reduced.push_back(std::ranges::find(reduced_axes, axis) != reduced_axes.end());
  }
}

int64_t Domain::numel(Level level) const {
  int64_t product = 1;
  for (size_t d = 0; d < extents.size(); ++d) {
    if (counts(level, reduced[d])) product *= extents[d];
  }
  return product;
}

bool Domain::has_reduced() const {
  return std::ranges::find(reduced, true) != reduced.end();
}

bool Domain::has_rows() const {
  return !reduced.empty() && reduced.back();
}

Domain Domain::transposed() const {
  Domain other = *this;
  other.reduced.flip();
  return other;
}

bool Domain::refine(const Shape& shape, Level level) {
  // Both lists from the innermost side; the remaining extent of each must divide the other.
  std::vector<int64_t> wanted;
  for (const int64_t extent : shape) {
    if (extent != 1) wanted.push_back(extent);
  }
  Domain out;
  size_t next = wanted.size();
  int64_t rest = 1;
  for (size_t d = extents.size(); d-- > 0;) {
    if (!counts(level, reduced[d])) {
      out.extents.push_back(extents[d]);
      out.reduced.push_back(reduced[d]);
      continue;
    }
    int64_t extent = extents[d];
    while (extent != 1) {
      if (rest == 1) {
        if (next == 0) return false;
        rest = wanted[--next];
      }
      const int64_t piece = extent == rest ? extent : std::min(extent, rest);
      if (piece == 0 && extent != rest) return false;
      if (piece != 0 && (extent % piece != 0 || rest % piece != 0)) return false;
      out.extents.push_back(piece);
      out.reduced.push_back(reduced[d]);
      extent = piece == 0 ? 1 : extent / piece;
      rest = piece == 0 ? 1 : rest / piece;
    }
  }
  if (next != 0 || rest != 1) return false;
  std::ranges::reverse(out.extents);
  std::reverse(out.reduced.begin(), out.reduced.end());
  *this = std::move(out);
  return true;
}

bool Domain::refine(const Domain& other) {
  Domain mine = *this;
  Domain theirs = other;
  if (!mine.refine(Shape(other.extents), Level::full)) return false;
  if (!theirs.refine(Shape(extents), Level::full)) return false;
  if (mine.reduced != theirs.reduced) return false;
  *this = std::move(mine);
  return true;
}

void Domain::split(const DimSplit& split) {
  const auto at = static_cast<std::ptrdiff_t>(split.dim);
  check(extents[split.dim] % split.inner == 0, "a dimension is cut in equal parts");
  extents[split.dim] /= split.inner;
  extents.insert(extents.begin() + at + 1, split.inner);
  reduced.insert(reduced.begin() + at + 1, reduced[split.dim]);
}

std::optional<IndexMap> Domain::aligned_map(const Shape& shape,
                                            Level level,
                                            std::optional<DimSplit>* wanted) const {
  if (shape.numel() != numel(level)) return std::nullopt;
  std::vector<bool> moves(extents.size());
  for (size_t d = 0; d < moves.size(); ++d)
    moves[d] = counts(level, reduced[d]);
  return delinearize(row_major_position(extents, moves), shape, extents, wanted);
}

}  // namespace wick::ir
