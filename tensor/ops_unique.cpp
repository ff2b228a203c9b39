#include <algorithm>
#include <numeric>
#include <optional>

#include "wick/tensor/index_positions.h"
#include "wick/tensor/op_arguments.h"
#include "wick/tensor/ops_search.h"
#include "wick/tensor/ops_shape.h"
#include "wick/tensor/ops_sort.h"
#include "wick/tensor/recording.h"

namespace wick {

using detail::record_binary;
using detail::type_of;
using ir::OpKind;

namespace {

/// Slices of x along its first axis, put in an order, with the first of each group marked.
struct Groups {
  Tensor x;
  Tensor order;     // i64[n]
  Tensor is_first;  // bool[n]
};

UniqueValues unique_of(const Groups& groups, const Shape& inverse_shape, Where where) {
  const auto& [x, order, is_first] = groups;
  // Both are needed below; one run finds them.
  materialize({order, is_first}, where);
  const Tensor starts = detail::true_positions(is_first, where);
  const Tensor ends = concat({narrow(starts, 0, 1, std::max<int64_t>(starts.numel() - 1, 0), where),
                              from_vector(std::vector<int64_t>{order.numel()}, {1}, where)},
                             0,
                             where);
  const Tensor counts = record_binary(OpKind::sub, {ends, where}, {starts, where}, where);
  const Tensor indices = take(order, starts, 0, where);
  const Tensor inverse = detail::scatter_slices(zeros(order.shape(), DType::i64, where),
                                                0,
                                                order,
                                                detail::true_ordinals(is_first, where),
                                                ScatterMode::set,
                                                where);
  return {take(x, indices, 0, where), reshape(inverse, inverse_shape, where), counts, indices};
}

/// The least element and the number of integers from there to the largest.
struct Close {
  int64_t least = 0;
  int64_t count = 0;
};

/// Of integers that lie so close that a table of all between them takes less time than sorting.
std::optional<Close> close_integers(const Tensor& flat, Where where) {
  if (!is_integer(flat.dtype())) return std::nullopt;
  const Tensor least = min(flat, {}, false, where);
  const Tensor largest = max(flat, {}, false, where);
  materialize({flat, least, largest}, where);
  const auto first = least.item<int64_t>(where);
  const auto last = largest.item<int64_t>(where);
  const uint64_t distance = static_cast<uint64_t>(last) - static_cast<uint64_t>(first);
  const auto most = static_cast<uint64_t>(std::max<int64_t>(4096, 2 * flat.numel()));
  if (distance >= most) return std::nullopt;
  return Close{first, static_cast<int64_t>(distance) + 1};
}

/// Without sorting: a table says which integers there are.
UniqueValues unique_of_close(const Tensor& flat,
                             const Close& close,
                             const Shape& inverse_shape,
                             Where where) {
  const auto scattered = [&](const Tensor& x, const Tensor& at, const Tensor& y, ScatterMode mode) {
    return detail::scatter_slices(x, 0, at, y, mode, where);
  };
  const int64_t size = flat.numel();
  const Tensor offsets = Operand(cast(flat, DType::i64, where), where) - close.least;
  const Tensor is_there = scattered(zeros({close.count}, DType::bool_, where),
                                    offsets,
                                    ones({size}, DType::bool_, where),
                                    ScatterMode::set);
  const Tensor found = detail::true_positions(is_there, where);
  const Tensor values = Operand(found, where) + close.least;
  const Tensor inverse = take(detail::true_ordinals(is_there, where), offsets, 0, where);
  const Tensor counts = scattered(zeros({found.numel()}, DType::i64, where),
                                  inverse,
                                  ones({size}, DType::i64, where),
                                  ScatterMode::add);
  const Tensor indices = scattered(full({found.numel()}, size, DType::i64, where),
                                   inverse,
                                   arange(size, DType::i64, where),
                                   ScatterMode::min);
  return {
      cast(values, flat.dtype(), where), reshape(inverse, inverse_shape, where), counts, indices};
}

UniqueValues nothing(const Tensor& x, const Shape& inverse_shape, Where where) {
  const Tensor none = zeros({0}, DType::i64, where);
  return {x, zeros(inverse_shape, DType::i64, where), none, none};
}

/// Which elements of a vector differ from those before them.
Tensor differs_from_previous(const Tensor& x, Where where) {
  const Tensor next = narrow(x, 0, 1, x.numel() - 1, where);
  const Tensor previous = narrow(x, 0, 0, x.numel() - 1, where);
  return concat({ones({1}, DType::bool_, where),
                 record_binary(OpKind::ne, {next, where}, {previous, where}, where)},
                0,
                where);
}

template <typename T>
bool is_before(const T& a, const T& b) {
  if constexpr (std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>) {
    return static_cast<float>(a) < static_cast<float>(b);
  } else {
    return a < b;
  }
}

/// Rows of a matrix, sorted by their first elements that differ.
Groups sorted_rows(const Tensor& rows, Where where) {
  const auto count = static_cast<size_t>(rows.shape()[0]);
  const auto width = static_cast<size_t>(rows.shape()[1]);
  std::vector<int64_t> order(count);
  std::iota(order.begin(), order.end(), 0);
  std::vector<uint8_t> is_first(count, 1);
  visit_dtype(rows.dtype(), [&]<typename T>() {
    const std::span<const T> elements = rows.data<T>(where);
    const auto row = [&](int64_t i) {
      return elements.subspan(static_cast<size_t>(i) * width, width);
    };
    const auto comes_before = [&](int64_t i, int64_t j) {
      return std::ranges::lexicographical_compare(row(i), row(j), is_before<T>);
    };
    std::ranges::stable_sort(order, comes_before);
    for (size_t i = 1; i < count; ++i)
      is_first[i] = comes_before(order[i - 1], order[i]) ? 1 : 0;
  });
  const auto size = static_cast<int64_t>(count);
  return {rows,
          from_vector(order, {size}, where),
          cast(from_vector(is_first, {size}, where), DType::bool_, where)};
}

}  // namespace

UniqueValues unique(const Tensor& x, Where where) {
  type_of("unique", x, where);
  const Tensor flat = flatten(x, 0, -1, where);
  if (flat.numel() == 0) return nothing(flat, x.shape(), where);
  if (const std::optional<Close> close = close_integers(flat, where))
    return unique_of_close(flat, *close, x.shape(), where);
  const auto [sorted, order] = sort(flat, 0, false, where);
  return unique_of({flat, order, differs_from_previous(sorted, where)}, x.shape(), where);
}

UniqueValues unique(const Tensor& x, int axis, Where where) {
  const Type& type = type_of("unique", x, where);
  const int position = detail::axis_of("unique", axis, type, where);
  const int64_t count = type.shape[position];
  if (count == 0) return nothing(x, {0}, where);
  const Tensor moved = movedim(x, {position}, {0}, where);
  const Tensor rows = reshape(moved, {count, x.numel() / count}, where);
  UniqueValues result = unique_of(sorted_rows(rows, where), {count}, where);
  Shape shape = moved.shape();
  shape.set(0, result.values.shape()[0]);
  result.values = movedim(reshape(result.values, shape, where), {0}, {position}, where);
  return result;
}

UniqueValues unique_consecutive(const Tensor& x, Where where) {
  type_of("unique_consecutive", x, where);
  const Tensor flat = flatten(x, 0, -1, where);
  if (flat.numel() == 0) return nothing(flat, x.shape(), where);
  const Tensor order = arange(flat.numel(), DType::i64, where);
  return unique_of({flat, order, differs_from_previous(flat, where)}, x.shape(), where);
}

}  // namespace wick
