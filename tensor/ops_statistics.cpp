#include "wick/tensor/ops_statistics.h"

#include <span>
#include <string_view>

#include <fmt/format.h>

#include "wick/tensor/linalg.h"
#include "wick/tensor/op_arguments.h"
#include "wick/tensor/ops_arithmetic.h"
#include "wick/tensor/recording.h"
#include "wick/tensor/term.h"

namespace wick {

using detail::float_term_of;
using detail::float_terms_of;
using detail::Term;
using detail::term_of;
using ir::OpKind;

namespace {

struct Over {
  const Axes& axes;
  bool keepdims;
};

Term sum(const Term& x, Over over) {
  return {wick::sum(x.tensor, over.axes, over.keepdims, x.where), x.where};
}

/// sqrt(x), which at 0 has no slope.
Term root(const Term& x) {
  const Term is_zero = x == 0;
  return select(is_zero, 0, sqrt(select(is_zero, 1, x)));
}

Term norm_of(const Term& x, double p, Over over) {
  return {linalg::vector_norm(x.tensor, p, over.axes, over.keepdims, x.where), x.where};
}

/// The elements of x at these positions along an axis, of which they keep extent 1: a selection, so
/// that NaN elsewhere stays out of it.
Term at_positions(const Term& x, const Tensor& positions, int axis, bool keepdims) {
  const Axes extents(x.shape().begin(), x.shape().end());
  const Tensor along =
      record(OpKind::iota,
             {},
             {{"axis", static_cast<int64_t>(axis)}, {"dtype", DType::i64}, {"shape", extents}},
             x.where);
  const Term hits = Term{along, x.where} == Term{positions, x.where};
  const Axes axes = {axis};
  return cast(sum(select(hits, x, 0), {axes, keepdims}), x.dtype());
}

using ArgExtreme = Tensor (*)(const Tensor&, int, bool, Where);

ValuesAndIndices extreme_with_index(std::string_view op,
                                    ArgExtreme position,
                                    const Tensor& x,
                                    int axis,
                                    bool keepdims,
                                    Where where) {
  const Term term = term_of(op, x, where);
  const int counted = detail::axis_of(op, axis, x.type(), where);
  const Tensor kept = position(x, counted, true, where);
  const Tensor indices = keepdims ? kept : squeeze(kept, counted, where);
  return {at_positions(term, kept, counted, keepdims).tensor, indices};
}

/// A reduction of floats, of one dtype that sums do not overflow.
template <typename Formula>
Tensor in_float(
    std::string_view op, const Tensor& x, const Axes& axes, Where where, Formula formula) {
  const Term term = float_term_of(op, x, where);
  detail::reduced_axes(op, axes, x.type(), where);  // for errors that name this op
  return at_least_f32(term, formula).tensor;
}

Term variance(const Term& x, const SpreadOptions& options) {
  return {var(x.tensor, options.axes, options.keepdims, options.correction, x.where), x.where};
}

Term is_number(const Term& x) {
  return x == x;
}

}  // namespace

Tensor std(const Tensor& x, const SpreadOptions& options, Where where) {
  return in_float(
      "std", x, options.axes, where, [&](const Term& y) { return root(variance(y, options)); });
}

SpreadAndMean var_mean(const Tensor& x, const SpreadOptions& options, Where where) {
  const Term term = float_term_of("var_mean", x, where);
  const Tensor spread = in_float("var_mean", term.tensor, options.axes, where, [&](const Term& y) {
    return variance(y, options);
  });
  return {spread, mean(term.tensor, options.axes, options.keepdims, where)};
}

SpreadAndMean std_mean(const Tensor& x, const SpreadOptions& options, Where where) {
  const Term term = float_term_of("std_mean", x, where);
  detail::reduced_axes("std_mean", options.axes, x.type(), where);
  return {std(term.tensor, options, where),
          mean(term.tensor, options.axes, options.keepdims, where)};
}

Tensor norm(const Tensor& x, double p, const Axes& axes, bool keepdims, Where where) {
  return in_float(
      "norm", x, axes, where, [&](const Term& y) { return norm_of(y, p, {axes, keepdims}); });
}

Tensor normalize(const Tensor& x, double p, int axis, double eps, Where where) {
  const Axes axes = {axis};
  return in_float("normalize", x, axes, where, [&](const Term& y) {
    const Term length = norm_of(y, p, {axes, true});
    return y / Term{clamp_min(length.tensor, {eps, where}, where), where};
  });
}

Tensor cosine_similarity(const Tensor& a, const Tensor& b, int axis, double eps, Where where) {
  const auto [x, y] = float_terms_of("cosine_similarity", {a, where}, {b, where});
  const Axes axes = {axis};
  const Shape shape = *broadcast_shapes(x.shape(), y.shape());
  detail::reduced_axes("cosine_similarity", axes, {x.dtype(), shape}, where);
  const auto spread = [&](const Term& v) {
    return Term{broadcast_to(v.tensor, shape, where), where};
  };
  const auto unit = [&](const Term& v) {
    const Term length = norm_of(v, 2, {axes, true});
    return v / Term{clamp_min(length.tensor, {eps, where}, where), where};
  };
  return at_least_f32(x,
                      [&](const Term& wide) {
                        return sum(unit(spread(wide)) * unit(spread(cast(y, wide.dtype()))),
                                   {axes, false});
                      })
      .tensor;
}

Tensor cdist(const Tensor& a, const Tensor& b, double p, Where where) {
  (void)term_of("cdist", a, where);
  (void)term_of("cdist", b, where);
  const auto batch = [](const Tensor& x) {
    return Shape(std::span(x.shape().begin(), x.shape().end() - 2));
  };
  if (a.ndim() < 2 || b.ndim() < 2 || a.size(-1) != b.size(-1) ||
      !broadcast_shapes(batch(a), batch(b))) {
    constexpr auto kText = "{} and {} are no two sets of rows of one length";
    throw Error(where, "cdist", fmt::format(kText, to_string(a.type()), to_string(b.type())));
  }
  const Tensor columns = unsqueeze(a, -2, where);
  const Tensor rows = unsqueeze(b, -3, where);
  const auto [x, y] = float_terms_of("cdist", {columns, where}, {rows, where});
  const Axes axes = {-1};
  return at_least_f32(x,
                      [&](const Term& wide) {
                        return norm_of(wide - cast(y, wide.dtype()), p, {axes, false});
                      })
      .tensor;
}

Tensor amax(const Tensor& x, const Axes& axes, bool keepdims, Where where) {
  return max(x, axes, keepdims, where);
}

Tensor amin(const Tensor& x, const Axes& axes, bool keepdims, Where where) {
  return min(x, axes, keepdims, where);
}

Tensor ptp(const Tensor& x, const Axes& axes, bool keepdims, Where where) {
  return Operand(max(x, axes, keepdims, where), where) -
         Operand(min(x, axes, keepdims, where), where);
}

ValuesAndIndices max_with_index(const Tensor& x, int axis, bool keepdims, Where where) {
  return extreme_with_index("max_with_index", argmax, x, axis, keepdims, where);
}

ValuesAndIndices min_with_index(const Tensor& x, int axis, bool keepdims, Where where) {
  return extreme_with_index("min_with_index", argmin, x, axis, keepdims, where);
}

Tensor nansum(const Tensor& x, const Axes& axes, bool keepdims, Where where) {
  const Term term = term_of("nansum", x, where);
  detail::reduced_axes("nansum", axes, x.type(), where);
  return sum(select(is_number(term), term, 0), {axes, keepdims}).tensor;
}

Tensor nanmean(const Tensor& x, const Axes& axes, bool keepdims, Where where) {
  return in_float("nanmean", x, axes, where, [&](const Term& y) {
    const Term count = cast(sum(is_number(y), {axes, keepdims}), y.dtype());
    return sum(select(is_number(y), y, 0), {axes, keepdims}) / count;
  });
}

Tensor count_nonzero(const Tensor& x, const Axes& axes, bool keepdims, Where where) {
  const Term term = term_of("count_nonzero", x, where);
  detail::reduced_axes("count_nonzero", axes, x.type(), where);
  return sum(term != 0, {axes, keepdims}).tensor;
}

Tensor average(
    const Tensor& x, const Tensor& weights, const Axes& axes, bool keepdims, Where where) {
  const auto [y, w] = float_terms_of("average", {x, where}, {weights, where});
  detail::reduced_axes("average", axes, x.type(), where);
  return at_least_f32(y,
                      [&](const Term& wide) {
                        const Term weight = cast(w, wide.dtype());
                        const Term spread{broadcast_to(weight.tensor, wide.shape(), where), where};
                        return sum(wide * spread, {axes, keepdims}) / sum(spread, {axes, keepdims});
                      })
      .tensor;
}

}  // namespace wick
