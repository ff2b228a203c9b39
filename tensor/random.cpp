#include <cmath>
#include <mutex>
#include <numbers>

#include <fmt/format.h>

#include "wick/tensor/recording.h"

namespace wick {

using detail::record_binary;
using ir::OpKind;

namespace {

/// The process-wide stream: a key, and the next counter that nobody has used.
struct Stream {
  std::mutex lock;
  uint64_t key = 0;
  uint64_t offset = 0;
};

Stream& stream() {
  static Stream global;
  return global;
}

struct Place {
  uint64_t key = 0;
  uint64_t offset = 0;
};

/// Takes counters for `words` elements: 16 counters serve 64 words.
Place take_counters(int64_t words) {
  constexpr uint64_t kWordsPerGroup = 64;
  constexpr uint64_t kCountersPerGroup = 16;
  const auto groups = (static_cast<uint64_t>(words) + kWordsPerGroup - 1) / kWordsPerGroup;
  Stream& global = stream();
  const std::lock_guard guard(global.lock);
  const Place place{global.key, global.offset};
  global.offset += groups * kCountersPerGroup;
  return place;
}

/// Words at a place. `lane` picks one of several independent streams under one key, so that values
/// made from two words each are the same however a request is cut into smaller ones.
Tensor words_at(const Place& place, uint64_t lane, const Shape& shape, Where where) {
  constexpr uint64_t kLaneStep = 0x9E3779B97F4A7C15U;
  const uint64_t key = place.key + lane * kLaneStep;
  const Ref<detail::Node> operands[] = {
      detail::Node::scalar(DType::i64, key, where),
      detail::Node::scalar(DType::i64, place.offset, where),
  };
  const Axes extents{shape.begin(), shape.end()};
  return detail::record_nodes(
      OpKind::random_bits, operands, detail::share({{"shape", extents}}), where);
}

/// Binary ops with a number that is part of the program: these numbers never change.
Tensor with_number(OpKind op, const Tensor& x, double number, Where where) {
  const Ref<detail::Node> operands[] = {x.node(), detail::constant_node(x.dtype(), number, where)};
  return detail::record_nodes(op, operands, nullptr, where);
}

/// The top `bits` bits of i32 words, as non-negative numbers of `dtype`.
Tensor top_bits(const Tensor& words, int bits, DType dtype, Where where) {
  const Tensor shifted = with_number(OpKind::shift_right, words, 32 - bits, where);
  const double mask = std::ldexp(1.0, bits) - 1;  // the shift is arithmetic
  return cast(with_number(OpKind::bit_and, shifted, mask, where), dtype, where);
}

/// Multiples of 2^-24 for f32, of 2^-53 for f64, in [0, 1).
Tensor uniform_at(
    const Place& place, uint64_t first_lane, const Shape& shape, DType dtype, Where where) {
  if (dtype == DType::f32) {
    const Tensor top = top_bits(words_at(place, first_lane, shape, where), 24, dtype, where);
    return with_number(OpKind::mul, top, 0x1p-24, where);
  }
  const Tensor high = top_bits(words_at(place, first_lane, shape, where), 27, dtype, where);
  const Tensor low = top_bits(words_at(place, first_lane + 1, shape, where), 26, dtype, where);
  const Tensor all = record_binary(
      OpKind::add, {with_number(OpKind::mul, high, 0x1p26, where), where}, {low, where}, where);
  return with_number(OpKind::mul, all, 0x1p-53, where);
}

/// Narrow floats are rounded from f32.
DType working_dtype(std::string_view op, DType dtype, Where where) {
  if (!is_float(dtype)) {
    constexpr auto kText = "the dtype must be a float, not {}";
    throw Error(where, op, fmt::format(kText, to_string(dtype)));
  }
  return dtype == DType::f64 ? DType::f64 : DType::f32;
}

void check_extents(std::string_view op, const Shape& shape, Where where) {
  for (const int64_t extent : shape) {
    if (extent < 0) {
      throw Error(where, op, fmt::format("shape {} has a negative extent", to_string(shape)));
    }
  }
}

}  // namespace

void manual_seed(uint64_t seed) {
  Stream& global = stream();
  const std::lock_guard guard(global.lock);
  global.key = seed;
  global.offset = 0;
}

Tensor rand(Shape shape, DType dtype, Where where) {
  const DType working = working_dtype("rand", dtype, where);
  check_extents("rand", shape, where);
  const Place place = take_counters(shape.numel());
  return cast(uniform_at(place, 0, shape, working, where), dtype, where);
}

Tensor randn(Shape shape, DType dtype, Where where) {
  const DType working = working_dtype("randn", dtype, where);
  check_extents("randn", shape, where);
  const Place place = take_counters(shape.numel());
  // 1 - u is in (0, 1]: its logarithm is finite.
  const Tensor u = uniform_at(place, 0, shape, working, where);
  const Tensor positive = record_binary(OpKind::sub, {1, where}, {u, where}, where);
  const Tensor radius = sqrt(with_number(OpKind::mul, log(positive, where), -2.0, where), where);
  const Tensor turn = uniform_at(place, 2, shape, working, where);
  const Tensor direction =
      cos(with_number(OpKind::mul, turn, 2.0 * std::numbers::pi, where), where);
  const Tensor normal = record_binary(OpKind::mul, {radius, where}, {direction, where}, where);
  return cast(normal, dtype, where);
}

Tensor randint(int64_t low, int64_t high, Shape shape, DType dtype, Where where) {
  if (low >= high) {
    throw Error(where, "randint", fmt::format("no integer is in [{}, {})", low, high));
  }
  check_extents("randint", shape, where);
  constexpr uint64_t kWordRange = uint64_t{1} << 32U;
  const uint64_t range = static_cast<uint64_t>(high) - static_cast<uint64_t>(low);
  if (range >= kWordRange) {
    constexpr auto kText = "[{}, {}) has more than 2^32 - 1 integers";
    throw Error(where, "randint", fmt::format(kText, low, high));
  }
  const Place place = take_counters(shape.numel());
  // Scaling 31 bits by the range keeps every product inside i64.
  const Tensor word = top_bits(words_at(place, 0, shape, where), 31, DType::i64, where);
  const auto factor = static_cast<int64_t>(range);
  const Tensor scaled = record_binary(OpKind::mul, {word, where}, {factor, where}, where);
  const Tensor step = with_number(OpKind::shift_right, scaled, 31, where);
  return cast(record_binary(OpKind::add, {step, where}, {low, where}, where), dtype, where);
}

}  // namespace wick
