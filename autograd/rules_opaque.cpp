#include "wick/autograd/rules.h"

namespace wick::autograd {
namespace {

using ir::OpKind;

/// The cotangent's slices at the indices; none where the index was out of range and dropped.
Term grad_updates(const Step& s) {
  const Term indices = s.operand(1);
  const int64_t position = s.attributes().integer("axis", 0);
  const auto axis = static_cast<int>(position);
  const Shape& shape = s.operand(0).shape();
  const Term picked = apply(OpKind::gather, {s.cotangent(), indices}, {{"axis", position}});
  const Term extent =
      filled(Shape{}, static_cast<double>(shape[axis]), indices.dtype(), indices.where);
  Axes aligned(indices.shape().begin(), indices.shape().end());
  aligned.insert(aligned.end(), static_cast<size_t>(shape.ndim() - axis - 1), 1);
  const Term inside = both(greater_equal(indices, 0.0), less(indices, extent));
  return select(reshape(inside, Shape(aligned)), picked, 0.0);
}

constexpr GradientRow kRows[] = {
    {OpKind::scatter, {[](const Step& s) { return s.cotangent(); }, nullptr, grad_updates}},
    {OpKind::scan, {}},
    {OpKind::argsort, {}},
};

static_assert(covers(kRows, Family::opaque));

}  // namespace

std::span<const GradientRow> opaque_rules() {
  return kRows;
}

}  // namespace wick::autograd
