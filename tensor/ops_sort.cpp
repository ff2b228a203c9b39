#include "wick/tensor/ops_sort.h"

#include <string>

#include <fmt/format.h>

#include "wick/tensor/op_arguments.h"
#include "wick/tensor/ops_index.h"
#include "wick/tensor/ops_shape.h"
#include "wick/tensor/recording.h"
#include "wick/tensor/scan.h"

namespace wick {

using detail::axis_of;
using detail::record_binary;
using detail::type_of;
using ir::OpKind;

namespace {

/// x as something with an axis, and the axis.
struct Lanes {
  Tensor x;
  int axis;
  int64_t extent;

  Lanes(std::string_view op, const Tensor& operand, int wanted, Where where)
      : x(type_of(op, operand, where).shape.ndim() == 0 ? atleast_1d(operand, where) : operand),
        axis(axis_of(op, wanted, x.type(), where)),
        extent(x.shape()[axis]) {}

  void require_elements(std::string_view op, Where where) const {
    if (extent > 0) return;
    constexpr auto kText = "axis {} of {} has no elements";
    throw Error(where, op, fmt::format(kText, axis, to_string(x.type())));
  }
};

Tensor sorted_positions(const Lanes& lanes, bool descending, Where where) {
  ir::Attributes attributes{{"axis", int64_t{lanes.axis}}};
  if (descending) attributes.set("descending", true);
  return detail::record_unary(
      OpKind::argsort, lanes.x, where, detail::share(std::move(attributes)));
}

/// The elements at positions, one for each lane, that were found with the axis kept.
ValuesAndIndices pick_one(
    const Tensor& x, const Lanes& lanes, const Tensor& at, bool keepdims, Where where) {
  const Tensor values = gather(lanes.x, lanes.axis, at, where);
  if (x.ndim() == 0) return {reshape(values, {}, where), reshape(at, {}, where)};
  if (keepdims) return {values, at};
  return {squeeze(values, lanes.axis, where), squeeze(at, lanes.axis, where)};
}

/// What stands in the middle of each sorted lane; the first NaN where there is one.
Tensor middle(const Lanes& lanes, Where where) {
  const Tensor order = sorted_positions(lanes, false, where);
  const Tensor at = narrow(order, lanes.axis, (lanes.extent - 1) / 2, 1, where);
  if (!is_float(lanes.x.dtype())) return at;
  const detail::HistoryPause pause;  // it only decides on positions
  const Tensor largest = argmax(lanes.x, lanes.axis, true, where);
  const Tensor has_nan = isnan(gather(lanes.x, lanes.axis, largest, where), where);
  return detail::record_where(has_nan, {largest, where}, {at, where}, where);
}

/// The same of what is no NaN.
Tensor middle_number(const Lanes& lanes, Where where) {
  if (!is_float(lanes.x.dtype())) return middle(lanes, where);
  const int64_t half = (lanes.extent - 1) / 2;
  const Tensor order =
      narrow(sorted_positions(lanes, false, where), lanes.axis, 0, half + 1, where);
  // NaN comes last: before it are as many numbers as there are.
  const Tensor num_nan = sum(isnan(lanes.x, where), {lanes.axis}, true, where);
  const Tensor last =
      record_binary(OpKind::sub, {lanes.extent - 1, where}, {num_nan, where}, where);
  const Tensor last_or_first = record_binary(OpKind::maximum, {last, where}, {0, where}, where);
  const Tensor at = record_binary(OpKind::shift_right, {last_or_first, where}, {1, where}, where);
  return gather(order, lanes.axis, at, where);
}

ValuesAndIndices median_of(
    std::string_view op, const Tensor& x, int axis, bool keepdims, bool skips_nan, Where where) {
  const Lanes lanes(op, x, axis, where);
  lanes.require_elements(op, where);
  const Tensor at = skips_nan ? middle_number(lanes, where) : middle(lanes, where);
  return pick_one(x, lanes, at, keepdims, where);
}

/// Of sorted elements: how many equal ones stand before each.
Tensor run_positions(const Tensor& sorted, int axis, int64_t extent, Where where) {
  const Tensor next = narrow(sorted, axis, 1, extent - 1, where);
  const Tensor previous = narrow(sorted, axis, 0, extent - 1, where);
  const Tensor differs = record_binary(OpKind::ne, {next, where}, {previous, where}, where);
  const Tensor at = detail::positions_along(sorted.shape(), axis, where);
  const Tensor later = narrow(at, axis, 1, extent - 1, where);
  const Tensor start = detail::record_where(differs, {later, where}, {0, where}, where);
  const Tensor first = zeros(narrow(at, axis, 0, 1, where).shape(), DType::i64, where);
  const Tensor starts = detail::scan(concat({first, start}, axis, where), axis, "max", where);
  return record_binary(OpKind::sub, {at, where}, {starts, where}, where);
}

Tensor cumulate(std::string_view op, const Tensor& x, int axis, const char* kind, Where where) {
  const Lanes lanes(op, x, axis, where);
  const bool widens = !is_float(x.dtype());
  const Tensor wide = widens ? cast(lanes.x, DType::i64, where) : lanes.x;
  return reshape(detail::scan(wide, lanes.axis, kind, where), x.shape(), where);
}

ValuesAndIndices cumulative_extreme(
    std::string_view op, const Tensor& x, int axis, const char* kind, Where where) {
  const Lanes lanes(op, x, axis, where);
  const Tensor values = detail::scan(lanes.x, lanes.axis, kind, where);
  // An element is passed by if it is no NaN, nor as extreme as those up to it.
  const Tensor differs = record_binary(OpKind::ne, {lanes.x, where}, {values, where}, where);
  const Tensor is_number = record_binary(OpKind::eq, {lanes.x, where}, {lanes.x, where}, where);
  const Tensor is_passed =
      record_binary(OpKind::bit_and, {differs, where}, {is_number, where}, where);
  const Tensor at = detail::positions_along(lanes.x.shape(), lanes.axis, where);
  const Tensor hits = detail::record_where(is_passed, {0, where}, {at, where}, where);
  const Tensor indices = detail::scan(hits, lanes.axis, "max", where);
  return {reshape(values, x.shape(), where), reshape(indices, x.shape(), where)};
}

}  // namespace

ValuesAndIndices sort(const Tensor& x, int axis, bool descending, Where where) {
  const Lanes lanes("sort", x, axis, where);
  const Tensor order = sorted_positions(lanes, descending, where);
  return {reshape(gather(lanes.x, lanes.axis, order, where), x.shape(), where),
          reshape(order, x.shape(), where)};
}

Tensor argsort(const Tensor& x, int axis, bool descending, Where where) {
  const Lanes lanes("argsort", x, axis, where);
  return reshape(sorted_positions(lanes, descending, where), x.shape(), where);
}

ValuesAndIndices topk(const Tensor& x, int64_t k, int axis, bool largest, Where where) {
  const Lanes lanes("topk", x, axis, where);
  if (k < 0 || k > lanes.extent) {
    constexpr auto kText = "no {} elements along axis {} of {}";
    throw Error(where, "topk", fmt::format(kText, k, lanes.axis, to_string(lanes.x.type())));
  }
  const Tensor order = sorted_positions(lanes, largest, where);
  const Tensor first = narrow(order, lanes.axis, 0, k, where);
  const Tensor values = gather(lanes.x, lanes.axis, first, where);
  if (x.ndim() == 0 && k == 1) return {reshape(values, {}, where), reshape(first, {}, where)};
  return {values, first};
}

ValuesAndIndices kthvalue(const Tensor& x, int64_t k, int axis, bool keepdims, Where where) {
  const Lanes lanes("kthvalue", x, axis, where);
  if (k < 1 || k > lanes.extent) {
    constexpr auto kText = "no element {} along axis {} of {}";
    throw Error(where, "kthvalue", fmt::format(kText, k, lanes.axis, to_string(lanes.x.type())));
  }
  const Tensor at = narrow(sorted_positions(lanes, false, where), lanes.axis, k - 1, 1, where);
  return pick_one(x, lanes, at, keepdims, where);
}

ValuesAndIndices median(const Tensor& x, int axis, bool keepdims, Where where) {
  return median_of("median", x, axis, keepdims, /*skips_nan=*/false, where);
}

Tensor median(const Tensor& x, Where where) {
  type_of("median", x, where);
  return median_of("median", flatten(x, 0, -1, where), 0, false, /*skips_nan=*/false, where).values;
}

ValuesAndIndices nanmedian(const Tensor& x, int axis, bool keepdims, Where where) {
  return median_of("nanmedian", x, axis, keepdims, /*skips_nan=*/true, where);
}

Tensor nanmedian(const Tensor& x, Where where) {
  type_of("nanmedian", x, where);
  return median_of("nanmedian", flatten(x, 0, -1, where), 0, false, /*skips_nan=*/true, where)
      .values;
}

ValuesAndIndices mode(const Tensor& x, int axis, bool keepdims, Where where) {
  const Lanes lanes("mode", x, axis, where);
  lanes.require_elements("mode", where);
  const Tensor order = sorted_positions(lanes, false, where);
  const Tensor sorted = [&] {
    const detail::HistoryPause pause;  // it only decides on positions
    return gather(lanes.x, lanes.axis, order, where);
  }();
  const Tensor runs = run_positions(sorted, lanes.axis, lanes.extent, where);
  // The longest run's last element is the first to have so many before it.
  const Tensor last = argmax(runs, lanes.axis, true, where);
  return pick_one(x, lanes, gather(order, lanes.axis, last, where), keepdims, where);
}

Tensor cumsum(const Tensor& x, int axis, Where where) {
  return cumulate("cumsum", x, axis, "sum", where);
}

Tensor cumprod(const Tensor& x, int axis, Where where) {
  return cumulate("cumprod", x, axis, "prod", where);
}

Tensor logcumsumexp(const Tensor& x, int axis, Where where) {
  detail::require_float("logcumsumexp", type_of("logcumsumexp", x, where), where);
  return cumulate("logcumsumexp", x, axis, "logaddexp", where);
}

ValuesAndIndices cummax(const Tensor& x, int axis, Where where) {
  return cumulative_extreme("cummax", x, axis, "max", where);
}

ValuesAndIndices cummin(const Tensor& x, int axis, Where where) {
  return cumulative_extreme("cummin", x, axis, "min", where);
}

}  // namespace wick
