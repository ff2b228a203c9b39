#include <string>

#include "wick/autograd/rules_opaque.h"
#include "wick/tensor/ops.h"

namespace wick::autograd {
namespace {

using ir::OpKind;

/// A scatter, with the ways between its slices and its updates.
struct Scatter {
  int64_t axis;
  bool along;
  std::string mode;
  Term x;
  Term indices;
  Term updates;
  Term cotangent;

  explicit Scatter(const Step& s)
      : axis(s.attributes().integer("axis", 0)),
        along(s.attributes().flag("along")),
        mode(s.attributes().text("mode")),
        x(s.operand(0)),
        indices(s.operand(1)),
        updates(s.operand(2)),
        cotangent(s.cotangent()) {}

  [[nodiscard]] int64_t extent() const { return x.shape()[static_cast<int>(axis)]; }

  [[nodiscard]] ir::Attributes attributes() const {
    ir::Attributes own{{"axis", axis}};
    if (along) own.set("along", true);
    return own;
  }

  [[nodiscard]] Term put(const Term& into, const Term& what, const char* how) const {
    ir::Attributes own = attributes();
    own.set("mode", std::string(how));
    return apply(OpKind::scatter, {into, indices, what}, std::move(own));
  }

  [[nodiscard]] Term sums(const Term& what) const {
    return apply(
        OpKind::scatter, {filled(x.shape(), 0.0, x.dtype(), x.where), indices, what}, attributes());
  }

  /// For each update, what is at its place.
  [[nodiscard]] Term pick(const Term& from) const {
    return apply(OpKind::gather, {from, indices}, attributes());
  }

  /// One value an index, as it broadcasts against updates.
  [[nodiscard]] Term beside_updates(const Term& per_index) const {
    if (along) return per_index;
    Axes aligned(indices.shape().begin(), indices.shape().end());
    aligned.insert(aligned.end(), static_cast<size_t>(x.shape().ndim() - axis - 1), 1);
    return reshape(per_index, Shape(aligned));
  }

  /// One value a position of the axis, as it broadcasts against x.
  [[nodiscard]] Term beside_x(const Term& per_position) const {
    if (along) return per_position;
    Axes aligned(static_cast<size_t>(x.shape().ndim() - axis), 1);
    aligned[0] = extent();
    return reshape(per_position, Shape(aligned));
  }

  /// Whether an index exists: updates that were dropped have no gradient.
  [[nodiscard]] Term exists() const {
    const Term end = filled(Shape{}, static_cast<double>(extent()), indices.dtype(), indices.where);
    return both(greater_equal(indices, 0.0), less(indices, end));
  }
};

/// The number of the index whose update is kept, for each position that has one, and for others -1:
/// of slices for the positions of the axis alone, which are then `axis` 0.
struct Last {
  Term numbers;
  ir::Attributes attributes;
  Term at;

  explicit Last(const Scatter& scatter)
      : numbers(row_major_positions(scatter.indices.shape(), scatter.x.where)),
        attributes(scatter.along ? scatter.attributes() : ir::Attributes{{"axis", int64_t{0}}}) {
    const Shape shape = scatter.along ? scatter.x.shape() : Shape{scatter.extent()};
    ir::Attributes set = attributes;
    set.set("mode", std::string("set"));
    const Term none = filled(shape, -1.0, numbers.dtype(), numbers.where);
    at = apply(OpKind::scatter, {none, scatter.indices, numbers}, std::move(set));
  }
};

Term kept_of_set(const Scatter& scatter) {
  const Term is_kept = scatter.beside_x(equal(Last(scatter).at, -1.0));
  return select(is_kept, scatter.cotangent, 0.0);
}

Term winners_of_set(const Scatter& scatter) {
  const Last last(scatter);
  const Term winner = apply(OpKind::gather, {last.at, scatter.indices}, last.attributes);
  const Term wins = both(equal(winner, last.numbers), scatter.exists());
  return select(scatter.beside_updates(wins), scatter.pick(scatter.cotangent), 0.0);
}

/// The product of the others at its place: that of all over the update, or, for the only zero
/// there, that of all but zeros.
Term others_of_product(const Scatter& scatter) {
  const Term& u = scatter.updates;
  const Term is_zero = equal(u, 0.0);
  const Term divisor = select(is_zero, 1.0, u);
  const Term zeros = scatter.pick(scatter.sums(cast(is_zero, u.dtype())));
  const Term product = scatter.pick(scatter.cotangent * scatter.put(scatter.x, divisor, "mul"));
  const Term is_only_zero = both(is_zero, equal(zeros, 1.0));
  return select(equal(zeros, 0.0), product / divisor, select(is_only_zero, product, 0.0));
}

/// Equal extremes, in x and among the updates, share the cotangent evenly.
struct Ties {
  Term x_hits;
  Term update_hits;
  Term share;

  Ties(const Scatter& scatter, const Term& result)
      : x_hits(equal(scatter.x, result)),
        update_hits(equal(scatter.updates, scatter.pick(result))) {
    const DType dtype = scatter.x.dtype();
    const Term count = cast(x_hits, dtype) + scatter.sums(cast(update_hits, dtype));
    share = scatter.cotangent / select(equal(count, 0.0), 1.0, count);
  }
};

Term of_existing(const Scatter& scatter, const Term& gradient) {
  return select(scatter.beside_updates(scatter.exists()), gradient, 0.0);
}

}  // namespace

Term grad_scatter_x(const Step& s) {
  const Scatter scatter(s);
  if (scatter.mode == "set") return kept_of_set(scatter);
  if (scatter.mode == "mul") {
    const Term one = filled(scatter.x.shape(), 1.0, scatter.x.dtype(), scatter.x.where);
    return scatter.cotangent * scatter.put(one, scatter.updates, "mul");
  }
  if (scatter.mode == "max" || scatter.mode == "min") {
    const Ties ties(scatter, s.output());
    return select(ties.x_hits, ties.share, 0.0);
  }
  return scatter.cotangent;
}

Term grad_scatter_updates(const Step& s) {
  const Scatter scatter(s);
  // Nothing to gather from.
  if (scatter.extent() == 0) {
    const Term& u = scatter.updates;
    return filled(u.shape(), 0.0, u.dtype(), u.where);
  }
  if (scatter.mode == "set") return winners_of_set(scatter);
  if (scatter.mode == "mul") return of_existing(scatter, others_of_product(scatter));
  if (scatter.mode == "max" || scatter.mode == "min") {
    const Ties ties(scatter, s.output());
    return of_existing(scatter, select(ties.update_hits, scatter.pick(ties.share), 0.0));
  }
  return of_existing(scatter, scatter.pick(scatter.cotangent));
}

}  // namespace wick::autograd
