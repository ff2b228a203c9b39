#include "wick/tensor/random_source.h"

#include <cmath>

#include <fmt/format.h>

#include "wick/tensor/op_arguments.h"
#include "wick/tensor/recording.h"

namespace wick::detail {

using ir::OpKind;

namespace {

Tensor binary(OpKind op, const Tensor& a, const Tensor& b, Where where) {
  return record_binary(op, {a, where}, {b, where}, where);
}

/// 16 counters serve 64 elements; see random_bits in ir/ops.def.
uint64_t counters_for(int64_t numel) {
  constexpr uint64_t kElementsPerGroup = 64;
  constexpr uint64_t kCountersPerGroup = 16;
  return (static_cast<uint64_t>(numel) + kElementsPerGroup - 1) / kElementsPerGroup *
         kCountersPerGroup;
}

}  // namespace

RandomSource::RandomSource(std::string_view op, Generator& generator, Shape shape, Where where)
    : shape_(std::move(shape)),
      where_(where) {
  detail::require_shape(op, shape_, where);
  place_ = generator.take(counters_for(shape_.numel()));
}

Tensor RandomSource::words(int lane) const {
  const Ref<Node> operands[] = {
      Node::scalar(DType::i64, place_.key, where_),
      Node::scalar(DType::i64, lane_start(lane) + place_.counter, where_),
  };
  const Axes extents{shape_.begin(), shape_.end()};
  return record_nodes(OpKind::random_bits, operands, share({{"shape", extents}}), where_);
}

Tensor RandomSource::top_bits(int lane, int bits, DType dtype) const {
  constexpr int kWordBits = 32;
  const Tensor shifted = with_number(OpKind::shift_right, words(lane), kWordBits - bits, where_);
  const double mask = std::ldexp(1.0, bits) - 1;  // the shift is arithmetic
  return cast(with_number(OpKind::bit_and, shifted, mask, where_), dtype, where_);
}

/// Uniform integers below 2^53.
Tensor RandomSource::wide_bits(int first_lane) const {
  const Tensor high = top_bits(first_lane, 27, DType::f64);
  const Tensor low = top_bits(first_lane + 1, 26, DType::f64);
  return binary(OpKind::add, with_number(OpKind::mul, high, 0x1p26, where_), low, where_);
}

Tensor RandomSource::unit(int first_lane, DType dtype) const {
  if (dtype == DType::f64) {
    return with_number(OpKind::mul, wide_bits(first_lane), 0x1p-53, where_);
  }
  return with_number(OpKind::mul, top_bits(first_lane, 24, dtype), 0x1p-24, where_);
}

Tensor RandomSource::positive_unit(int first_lane, DType dtype) const {
  const bool wide = dtype == DType::f64;
  const Tensor count = wide ? wide_bits(first_lane) : top_bits(first_lane, 31, dtype);
  const Tensor middle = with_number(OpKind::add, count, 0.5, where_);
  return with_number(OpKind::mul, middle, wide ? 0x1p-53 : 0x1p-31, where_);
}

Tensor RandomSource::exponential(int first_lane, DType dtype) const {
  const bool wide = dtype == DType::f64;
  const Tensor count = wide ? wide_bits(first_lane) : top_bits(first_lane, 31, DType::i32);
  const int64_t last = (int64_t{1} << (wide ? 53 : 31)) - 1;
  const Tensor mirrored = record_binary(OpKind::sub, {last, where_}, {count, where_}, where_);
  // u or 1 - u, whichever is smaller, is exact; a float next to 1 is not.
  const Tensor smaller = binary(OpKind::minimum, count, mirrored, where_);
  const Tensor is_mirrored = binary(OpKind::lt, smaller, count, where_);
  const Tensor middle = with_number(OpKind::add, cast(smaller, dtype, where_), 0.5, where_);
  const Tensor side = with_number(OpKind::mul, middle, wide ? 0x1p-53 : 0x1p-31, where_);
  const Tensor rest = record_binary(OpKind::sub, {1, where_}, {side, where_}, where_);
  const Tensor u = record_where(is_mirrored, {rest, where_}, {side, where_}, where_);
  const Tensor minus_log = -Operand(log(u, where_), where_);
  // -log(1 - side) by Kahan's correction for the rounding of 1 - side, which is exact in 1 - u.
  const Tensor rounded = record_binary(OpKind::sub, {1, where_}, {u, where_}, where_);
  const Tensor ratio = binary(OpKind::div, side, rounded, where_);
  const Tensor is_one = with_number(OpKind::eq, rounded, 0, where_);
  const Tensor corrected = binary(OpKind::mul, minus_log, ratio, where_);
  const Tensor near_zero = record_where(is_one, {side, where_}, {corrected, where_}, where_);
  return record_where(is_mirrored, {near_zero, where_}, {minus_log, where_}, where_);
}

Tensor with_number(OpKind op, const Tensor& x, double number, Where where) {
  const Ref<Node> operands[] = {x.node(), constant_node(x.dtype(), number, where)};
  return record_nodes(op, operands, nullptr, where);
}

DType random_working_dtype(std::string_view op, DType dtype, Where where) {
  constexpr auto kText = "the dtype must be a float, not {}";
  check_random(is_float(dtype), op, fmt::format(kText, to_string(dtype)), where);
  return dtype == DType::f64 ? DType::f64 : DType::f32;
}

void check_random(bool holds, std::string_view op, const std::string& text, Where where) {
  if (!holds) throw Error(where, op, text);
}

}  // namespace wick::detail
