// Quantiles: elements of sorted lanes, and what lies between two of them.

#include <string_view>

#include <fmt/format.h>

#include "wick/tensor/op_arguments.h"
#include "wick/tensor/ops_index.h"
#include "wick/tensor/ops_shape.h"
#include "wick/tensor/ops_sort.h"
#include "wick/tensor/recording.h"
#include "wick/tensor/term.h"

namespace wick {

using detail::Term;

namespace {

struct Request {
  std::string_view op;
  double q;
  QuantileRule rule;
  bool skips_nan;
};

/// How far from the lower to the higher element, of a position between them.
Term fraction_of(const Term& position, QuantileRule rule) {
  const Term low = floor(position);
  const Term rest = position - low;
  switch (rule) {
    case QuantileRule::linear:
      return rest;
    case QuantileRule::lower:
      return rest * 0;
    case QuantileRule::higher:
      return cast(rest > 0, rest.dtype());
    case QuantileRule::nearest:
      return round(position) - low;
    case QuantileRule::midpoint:
      return cast(rest > 0, rest.dtype()) * 0.5;
  }
  __builtin_unreachable();
}

/// Along an axis, which is kept.
Term quantile_along(const Term& x, int axis, const Request& request) {
  const Where where = x.where;
  const Tensor sorted = sort(x.tensor, axis, false, where).values;
  const auto at = [&](const Term& positions) {
    return Term{gather(sorted, axis, cast(positions, DType::i64).tensor, where), where};
  };
  const auto largest = static_cast<double>(x.shape()[axis] - 1);
  // NaN comes last: before it are as many numbers as there are.
  const Term num_nan = cast(Term{sum((x != x).tensor, {axis}, true, where), where}, DType::f64);
  const Term last = request.skips_nan ? maximum(largest - num_nan, 0) : num_nan * 0 + largest;
  const Term position = last * last.operand(request.q);
  const Term fraction = cast(fraction_of(position, request.rule), x.dtype());
  const Term low = at(floor(position));
  const Term high = at(minimum(floor(position) + 1, last));
  // Between equals, infinite ones included, there is nothing.
  const Term is_low = (fraction == 0) | (low == high);
  const Term between = select(is_low, low, low + (high - low) * fraction);
  return request.skips_nan ? between : select(num_nan > 0, at(last), between);
}

Tensor quantile_of(const Request& request, const Tensor& x, int axis, bool keepdims, Where where) {
  const auto& [op, q, rule, skips_nan] = request;
  const Term term = detail::float_term_of(op, x, where);
  if (!(q >= 0 && q <= 1)) throw Error(where, op, fmt::format("q must be in [0, 1], is {}", q));
  const Term lanes{atleast_1d(term.tensor, where), where};
  const int position = detail::axis_of(op, axis, lanes.tensor.type(), where);
  if (lanes.shape()[position] == 0) {
    constexpr auto kText = "axis {} of {} has no elements";
    throw Error(where, op, fmt::format(kText, position, to_string(x.type())));
  }
  const auto formula = [&](const Term& y) { return quantile_along(y, position, request); };
  const Tensor result = at_least_f32(lanes, formula).tensor;
  if (x.ndim() == 0) return reshape(result, {}, where);
  return keepdims ? result : squeeze(result, position, where);
}

Tensor quantile_of_all(const Request& request, const Tensor& x, Where where) {
  detail::type_of(request.op, x, where);
  return quantile_of(request, flatten(x, 0, -1, where), 0, false, where);
}

}  // namespace

Tensor quantile(
    const Tensor& x, double q, int axis, bool keepdims, QuantileRule rule, Where where) {
  return quantile_of({"quantile", q, rule, false}, x, axis, keepdims, where);
}

Tensor quantile(const Tensor& x, double q, Where where) {
  return quantile_of_all({"quantile", q, QuantileRule::linear, false}, x, where);
}

Tensor nanquantile(
    const Tensor& x, double q, int axis, bool keepdims, QuantileRule rule, Where where) {
  return quantile_of({"nanquantile", q, rule, true}, x, axis, keepdims, where);
}

Tensor nanquantile(const Tensor& x, double q, Where where) {
  return quantile_of_all({"nanquantile", q, QuantileRule::linear, true}, x, where);
}

}  // namespace wick
