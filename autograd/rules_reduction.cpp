#include <algorithm>
#include <bit>
#include <vector>

#include "wick/autograd/rules.h"

namespace wick::autograd {
namespace {

using ir::OpKind;

/// The shape of the operand with the reduced axes kept as 1.
Shape kept_shape(const Step& s) {
  Shape shape = s.operand(0).shape();
  for (const int64_t axis : s.attributes().integers("axes"))
    shape.set(static_cast<int>(axis), 1);
  return shape;
}

Term grad_sum(const Step& s) {
  return broadcast_to(reshape(s.cotangent(), kept_shape(s)), s.operand(0).shape());
}

/// Equal extremes share the cotangent evenly. NaN equals nothing: 0 / 0 then makes all NaN.
Term grad_extreme(const Step& s) {
  const Term x = s.operand(0);
  const Shape kept = kept_shape(s);
  const Term hits = cast(equal(x, reshape(s.output(), kept)), x.dtype());
  const Term count = sum_keeping(hits, s.attributes().integers("axes"));
  return hits * (reshape(s.cotangent(), kept) / count);
}

struct Halves {
  Term first;
  Term second;
};

/// The two halves of the last axis of [m, n].
Halves split(const Term& x) {
  const int64_t rows = x.shape()[0];
  const int64_t half = x.shape()[1] / 2;
  return {slice(x, {{0, 0}, {rows, half}, {1, 1}}), slice(x, {{0, half}, {rows, half}, {1, 1}})};
}

/// For each element of [m, n] the product of the others of its row: exact where elements are zero,
/// and differentiable there. Products of halves going up, of what the other half has coming down.
Term products_of_others(const Term& x) {
  const int64_t n = x.shape()[1];
  const auto width = static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(n)));
  std::vector<Halves> levels;
  Term level = pad(x, {{0, 0}, {0, width - n}, {0, 0}}, 1.0);
  while (level.shape()[1] > 1) {
    levels.push_back(split(level));
    level = levels.back().first * levels.back().second;
  }
  Term others = filled(level.shape(), 1.0, x.dtype(), x.where);
  for (; !levels.empty(); levels.pop_back()) {
    const auto& [first, second] = levels.back();
    others = apply(OpKind::concat, {others * second, others * first}, {{"axis", int64_t{1}}});
  }
  return slice(others, {{0, 0}, {x.shape()[0], n}, {1, 1}});
}

/// Moves the reduced axes to the end, as one row, and back.
Term grad_prod(const Step& s) {
  const Term x = s.operand(0);
  const Term g = grad_sum(s);
  if (x.tensor.numel() == 0) return g;
  const Shape kept = kept_shape(s);
  Axes order;
  Axes reduced;
  Shape moved = x.shape();
  for (int axis = 0; axis < kept.ndim(); ++axis) {
    const auto& axes = s.attributes().integers("axes");
    (std::ranges::find(axes, axis) == axes.end() ? order : reduced).push_back(axis);
  }
  order.insert(order.end(), reduced.begin(), reduced.end());
  Axes back(order.size());
  for (size_t i = 0; i < order.size(); ++i) {
    back[static_cast<size_t>(order[i])] = static_cast<int64_t>(i);
    moved.set(static_cast<int>(i), x.shape()[static_cast<int>(order[i])]);
  }
  const int64_t rows = kept.numel();
  const Term matrix = reshape(permute(x, order), Shape{rows, x.tensor.numel() / rows});
  return g * permute(reshape(products_of_others(matrix), moved), back);
}

constexpr GradientRow kReductionRows[] = {
    {OpKind::reduce_sum, {grad_sum}},
    {OpKind::reduce_prod, {grad_prod}},
    {OpKind::reduce_max, {grad_extreme}},
    {OpKind::reduce_min, {grad_extreme}},
    {OpKind::argmax, {}},
};

static_assert(covers(kReductionRows, Family::reduction));

}  // namespace

std::span<const GradientRow> reduction_rules() {
  return kReductionRows;
}

}  // namespace wick::autograd
