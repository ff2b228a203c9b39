#include "wick/tensor/ops_search.h"

#include <algorithm>
#include <bit>

#include <fmt/format.h>

#include "wick/tensor/index_positions.h"
#include "wick/tensor/op_arguments.h"
#include "wick/tensor/ops_shape.h"
#include "wick/tensor/ops_sort.h"
#include "wick/tensor/recording.h"

namespace wick {

using detail::record_binary;
using detail::type_of;
using ir::OpKind;

namespace {

Tensor truth(const Tensor& x, Where where) {
  return cast(x, DType::bool_, where);
}

/// Row-major positions as those along each axis; a scalar has none.
std::vector<Tensor> along_axes(const Tensor& positions, const Shape& shape, Where where) {
  return unravel_index(positions, shape, where);
}

/// Rows of sorted elements, flat, with what tells the rows of the values apart.
struct SortedRows {
  Tensor elements;
  int64_t extent;
  Tensor row_starts;  // beside the values; undefined for one row
};

SortedRows sorted_rows(const Tensor& sorted, const Tensor& values, Where where) {
  constexpr auto kOp = "searchsorted";
  const Type& type = type_of(kOp, sorted, where);
  detail::require_rank(kOp, 1, type, where);
  const int64_t extent = type.shape[sorted.ndim() - 1];
  SortedRows rows{flatten(sorted, 0, -1, where), extent, {}};
  if (sorted.ndim() == 1) return rows;
  Shape leading = type.shape;
  Shape wanted = type_of(kOp, values, where).shape;
  const bool fits = wanted.ndim() == leading.ndim();
  leading.set(leading.ndim() - 1, 1);
  if (fits) wanted.set(wanted.ndim() - 1, 1);
  if (!fits || wanted != leading) {
    constexpr auto kText = "{} and values {} should have the same leading axes";
    throw Error(where, kOp, fmt::format(kText, to_string(type), to_string(values.type())));
  }
  const Tensor numbers = reshape(arange(leading.numel(), DType::i64, where), leading, where);
  rows.row_starts = record_binary(OpKind::mul, {numbers, where}, {extent, where}, where);
  return rows;
}

/// The edges of bins that span all elements; as NumPy has it, a unit around a single value.
std::pair<Tensor, Tensor> span_of(const Tensor& x, Where where) {
  if (x.numel() == 0) return {scalar(0, x.dtype(), where), scalar(1, x.dtype(), where)};
  const Tensor low = min(x, {}, false, where);
  const Tensor high = max(x, {}, false, where);
  const Tensor is_point = record_binary(OpKind::eq, {low, where}, {high, where}, where);
  const Tensor half = cast(is_point, x.dtype(), where);
  const Tensor margin = record_binary(OpKind::mul, {half, where}, {0.5, where}, where);
  return {record_binary(OpKind::sub, {low, where}, {margin, where}, where),
          record_binary(OpKind::add, {high, where}, {margin, where}, where)};
}

}  // namespace

Tensor nonzero(const Tensor& x, Where where) {
  const Shape& shape = type_of("nonzero", x, where).shape;
  const Tensor positions = flatnonzero(x, where);
  if (shape.ndim() == 0) return zeros({positions.numel(), 0}, DType::i64, where);
  return stack(along_axes(positions, shape, where), 1, where);
}

std::vector<Tensor> where(const Tensor& condition, Where where) {
  const Shape& shape = type_of("where", condition, where).shape;
  return along_axes(flatnonzero(condition, where), shape, where);
}

Tensor flatnonzero(const Tensor& x, Where where) {
  type_of("flatnonzero", x, where);
  return detail::true_positions(truth(x, where), where);
}

Tensor searchsorted(const Tensor& sorted, const Tensor& values, bool right, Where where) {
  const SortedRows rows = sorted_rows(sorted, values, where);
  type_of("searchsorted", values, where);
  Tensor found = zeros(values.shape(), DType::i64, where);
  if (rows.extent == 0) return found;
  const auto binary = [&](OpKind op, const Tensor& a, const Operand& b) {
    return record_binary(op, {a, where}, b, where);
  };
  // `found` elements come before the value; a step further, would all of them still?
  for (uint64_t step = std::bit_floor(static_cast<uint64_t>(rows.extent)); step > 0; step /= 2) {
    const auto ahead = static_cast<int64_t>(step);
    const Tensor further = binary(OpKind::add, found, {ahead, where});
    Tensor probe = binary(OpKind::add, found, {ahead - 1, where});
    if (rows.row_starts.defined()) probe = binary(OpKind::add, probe, {rows.row_starts, where});
    const Tensor element = take(rows.elements, probe, 0, where);
    // So written that NaN, as a value, comes after everything.
    const Tensor stops = right ? binary(OpKind::lt, values, {element, where})
                               : binary(OpKind::le, values, {element, where});
    const Tensor goes = detail::record_unary(OpKind::logical_not, stops, where);
    const Tensor exists = binary(OpKind::le, further, {rows.extent, where});
    const Tensor moves = binary(OpKind::bit_and, goes, {exists, where});
    found = detail::record_where(moves, {further, where}, {found, where}, where);
  }
  return found;
}

Tensor bucketize(const Tensor& x, const Tensor& boundaries, bool right, Where where) {
  const Type& type = type_of("bucketize", boundaries, where);
  if (type.shape.ndim() != 1) {
    throw Error(
        where, "bucketize", fmt::format("boundaries should be a vector, got {}", to_string(type)));
  }
  type_of("bucketize", x, where);
  return searchsorted(boundaries, x, right, where);
}

Tensor isin(const Tensor& x, const Tensor& elements, Where where) {
  type_of("isin", x, where);
  type_of("isin", elements, where);
  if (elements.numel() == 0) return zeros(x.shape(), DType::bool_, where);
  const Tensor sorted = sort(flatten(elements, 0, -1, where), 0, false, where).values;
  const Tensor nearest = take(sorted, searchsorted(sorted, x, false, where), 0, where);
  return record_binary(OpKind::eq, {nearest, where}, {x, where}, where);
}

Tensor bincount(const Tensor& x, const Tensor& weights, int64_t minimum, Where where) {
  constexpr auto kOp = "bincount";
  const Type& type = type_of(kOp, x, where);
  detail::require_integer(kOp, type, where);
  if (type.shape.ndim() != 1 || minimum < 0) {
    constexpr auto kText = "needs a vector and a minimum from 0 on, got {} and {}";
    throw Error(where, kOp, fmt::format(kText, to_string(type), minimum));
  }
  if (weights.defined() && weights.shape() != type.shape) {
    constexpr auto kText = "weights {} should have the shape of {}";
    throw Error(where, kOp, fmt::format(kText, to_string(weights.type()), to_string(type)));
  }
  int64_t count = minimum;
  if (x.numel() > 0) {
    const Tensor least = min(x, {}, false, where);
    const Tensor largest = max(x, {}, false, where);
    materialize({least, largest}, where);
    if (const auto value = least.item<int64_t>(where); value < 0) {
      throw Error(where, kOp, fmt::format("{} is negative", value));
    }
    count = std::max(count, largest.item<int64_t>(where) + 1);
  }
  const Tensor amounts = !weights.defined()          ? ones(type.shape, DType::i64, where)
                         : is_float(weights.dtype()) ? weights
                                                     : cast(weights, DType::f64, where);
  return detail::scatter_slices(zeros({count}, amounts.dtype(), where),
                                0,
                                cast(x, DType::i64, where),
                                amounts,
                                ScatterMode::add,
                                where);
}

Histogram histogram(const Tensor& x,
                    int64_t bins,
                    std::optional<std::pair<double, double>> range,
                    Where where) {
  constexpr auto kOp = "histogram";
  const DType dtype = is_float(type_of(kOp, x, where).dtype) ? x.dtype() : DType::f32;
  if (bins < 1 || (range && !(range->first < range->second))) {
    const auto [low, high] = range.value_or(std::pair(0.0, 1.0));
    throw Error(where, kOp, fmt::format("no {} bins from {} to {}", bins, low, high));
  }
  const auto binary = [&](OpKind op, const Tensor& a, const Operand& b) {
    return record_binary(op, {a, where}, b, where);
  };
  const detail::HistoryPause pause;  // counts have no gradient
  const Tensor flat = cast(flatten(x, 0, -1, where), dtype, where);
  const auto [low, high] =
      range ? std::pair(scalar(range->first, dtype, where), scalar(range->second, dtype, where))
            : span_of(flat, where);
  const Tensor span = binary(OpKind::sub, high, {low, where});
  const Tensor share = binary(OpKind::div, binary(OpKind::sub, flat, {low, where}), {span, where});
  const Tensor bin = cast(binary(OpKind::mul, share, {bins, where}), DType::i64, where);
  const Tensor last = binary(OpKind::minimum, bin, {bins - 1, where});
  const Tensor inside = binary(OpKind::bit_and,
                               binary(OpKind::le, low, {flat, where}),
                               {binary(OpKind::le, flat, {high, where}), where});
  const Tensor at = detail::record_where(inside, {last, where}, {int64_t{-1}, where}, where);
  const Tensor counts = detail::scatter_slices(zeros({bins}, DType::i64, where),
                                               0,
                                               at,
                                               ones(at.shape(), DType::i64, where),
                                               ScatterMode::add,
                                               where);
  const Tensor steps = linspace(0, 1, bins + 1, dtype, where);
  return {counts, binary(OpKind::add, binary(OpKind::mul, steps, {span, where}), {low, where})};
}

}  // namespace wick
