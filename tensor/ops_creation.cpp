#include "wick/tensor/ops_creation.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "wick/tensor/op_arguments.h"
#include "wick/tensor/recording.h"

namespace wick {

using detail::record_binary;
using ir::OpKind;

namespace {

/// start + i * step for i < count, in the dtype that counts.
Tensor progression(const Tensor& counts, const Operand& start, const Operand& step, Where where) {
  const Tensor offsets = record_binary(OpKind::mul, {counts, where}, step, where);
  return record_binary(OpKind::add, {offsets, where}, start, where);
}

}  // namespace

namespace detail {

Tensor arange_of_integers(int64_t start, int64_t stop, int64_t step, DType dtype, Where where) {
  // Wide enough for any difference.
  const __int128 span = static_cast<__int128>(stop) - start;
  const bool is_away = step == 0 || (span > 0 && step < 0) || (span < 0 && step > 0);
  const __int128 length = step > 0 ? span : -span;
  const __int128 stride = step > 0 ? static_cast<__int128>(step) : -static_cast<__int128>(step);
  const __int128 count = is_away ? 0 : (length + stride - 1) / stride;
  if (is_away || count > std::numeric_limits<int64_t>::max()) {
    constexpr auto kText = "no range from {} to {} in steps of {}";
    throw Error(where, "arange", fmt::format(kText, start, stop, step));
  }
  const Tensor counts = arange(static_cast<int64_t>(count), DType::i64, where);
  return cast(progression(counts, {start, where}, {step, where}, where), dtype, where);
}

Tensor arange_of_reals(double start, double stop, double step, DType dtype, Where where) {
  constexpr double kLimit = 9223372036854775808.0;  // 2^63
  const double count = std::ceil((stop - start) / step);
  // Written so that NaN fails, too.
  if (!(count >= 0 && count < kLimit)) {
    constexpr auto kText = "no range from {} to {} in steps of {}";
    throw Error(where, "arange", fmt::format(kText, start, stop, step));
  }
  const Tensor counts = arange(static_cast<int64_t>(count), DType::f64, where);
  return cast(progression(counts, {start, where}, {step, where}, where), dtype, where);
}

}  // namespace detail

Tensor logspace(double start, double stop, int64_t count, double base, DType dtype, Where where) {
  detail::require_shape("logspace", {count}, where);
  const Tensor exponents = linspace(start, stop, count, DType::f64, where);
  return cast(record_binary(OpKind::pow, {base, where}, {exponents, where}, where), dtype, where);
}

Tensor geomspace(double start, double stop, int64_t count, DType dtype, Where where) {
  if (!(start * stop > 0)) {
    constexpr auto kText = "{} and {} should be of one sign and not 0";
    throw Error(where, "geomspace", fmt::format(kText, start, stop));
  }
  detail::require_shape("geomspace", {count}, where);
  const Tensor logs =
      linspace(std::log(std::abs(start)), std::log(std::abs(stop)), count, DType::f64, where);
  const Tensor sizes = exp(logs, where);
  const Tensor at = arange(count, DType::i64, where);
  const auto pinned = [&](const Tensor& values, int64_t position, double end) {
    const Tensor is_end = record_binary(OpKind::eq, {at, where}, {position, where}, where);
    return detail::record_where(is_end, {end, where}, {values, where}, where);
  };
  const Tensor signed_sizes = start < 0 ? detail::record_unary(OpKind::neg, sizes, where) : sizes;
  return cast(pinned(pinned(signed_sizes, count - 1, stop), 0, start), dtype, where);
}

Tensor eye(int64_t rows, int64_t columns, int64_t offset, DType dtype, Where where) {
  detail::require_shape("eye", {rows, columns}, where);
  const Tensor row = unsqueeze(arange(rows, DType::i64, where), 1, where);
  const Tensor column = arange(columns, DType::i64, where);
  // Beyond these there is nothing; within them nothing overflows.
  const int64_t near = std::clamp(offset, -rows, columns);
  const Tensor diagonal = record_binary(OpKind::add, {row, where}, {near, where}, where);
  return cast(record_binary(OpKind::eq, {diagonal, where}, {column, where}, where), dtype, where);
}

Tensor zeros_like(const Tensor& x, std::optional<DType> dtype, Where where) {
  const Type& type = detail::type_of("zeros_like", x, where);
  return zeros(type.shape, dtype.value_or(type.dtype), where);
}

Tensor ones_like(const Tensor& x, std::optional<DType> dtype, Where where) {
  const Type& type = detail::type_of("ones_like", x, where);
  return ones(type.shape, dtype.value_or(type.dtype), where);
}

Tensor full_like(const Tensor& x, const Operand& value, std::optional<DType> dtype, Where where) {
  const Type& type = detail::type_of("full_like", x, where);
  const Tensor fill = detail::operand_as("full_like", value, dtype.value_or(type.dtype), where);
  return broadcast_to(fill, type.shape, where);
}

}  // namespace wick
