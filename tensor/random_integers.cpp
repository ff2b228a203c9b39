// Integers of a range, by Lemire's multiplication (ACM TOMACS 29, 2019) of many random bits: so
// many that what its rejection would mend is not to be seen, since a recorded program cannot
// reject.

#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "wick/ir/dtype.h"
#include "wick/tensor/random.h"
#include "wick/tensor/random_source.h"
#include "wick/tensor/recording.h"

namespace wick {

using detail::check_random;
using detail::RandomSource;
using detail::record_binary;
using detail::with_number;
using ir::OpKind;

namespace {

/// i64 arithmetic, which wraps, at one place in the caller's code.
struct Arithmetic64 {
  Where where;

  [[nodiscard]] Tensor add(const Tensor& a, const Operand& b) const {
    return record_binary(OpKind::add, {a, where}, b, where);
  }

  [[nodiscard]] Tensor mul(const Tensor& a, const Operand& b) const {
    return record_binary(OpKind::mul, {a, where}, b, where);
  }

  [[nodiscard]] Tensor low_half(const Tensor& x) const {
    constexpr double kMask = std::numeric_limits<uint32_t>::max();
    return with_number(OpKind::bit_and, x, kMask, where);
  }

  [[nodiscard]] Tensor high_half(const Tensor& x) const {
    return low_half(with_number(OpKind::shift_right, x, 32, where));
  }

  /// Whether a < b, seen as unsigned numbers.
  [[nodiscard]] Tensor unsigned_lt(const Tensor& a, const Tensor& b) const {
    constexpr int64_t kSign = std::numeric_limits<int64_t>::min();
    const Tensor left = add(a, {kSign, where});
    return record_binary(OpKind::lt, {left, where}, {add(b, {kSign, where}), where}, where);
  }
};

/// A random 64-bit number in two halves.
struct Halves {
  Tensor high;
  Tensor low;
};

Halves random_halves(const RandomSource& source, int first_lane, const Arithmetic64& a) {
  const auto half = [&](int lane) {
    return a.low_half(cast(source.words(lane), DType::i64, a.where));
  };
  return {half(first_lane), half(first_lane + 1)};
}

/// The high 64 of the 128 bits of x * factor.
Tensor multiply_high(const Halves& x, uint64_t factor, const Arithmetic64& a) {
  const Operand high(static_cast<int64_t>(factor >> 32U), a.where);
  const Operand low(static_cast<int64_t>(factor & 0xFFFFFFFFU), a.where);
  const Tensor low_low = a.mul(x.low, low);
  const Tensor low_high = a.mul(x.low, high);
  const Tensor high_low = a.mul(x.high, low);
  const Tensor middle = a.add(a.add(a.high_half(low_low), {a.low_half(low_high), a.where}),
                              {a.low_half(high_low), a.where});
  const Tensor carried = a.add(a.high_half(low_high), {a.high_half(high_low), a.where});
  const Tensor top = a.add(a.mul(x.high, high), {carried, a.where});
  return a.add(top, {a.high_half(middle), a.where});
}

/// floor(x * range / 2^64) for a random 64-bit x: no product leaves 63 bits.
Tensor below_small(const RandomSource& source, uint64_t range, const Arithmetic64& a) {
  const Operand factor(static_cast<int64_t>(range), a.where);
  const Halves x = random_halves(source, 0, a);
  const Tensor carry = with_number(OpKind::shift_right, a.mul(x.low, factor), 32, a.where);
  const Tensor sum = a.add(a.mul(x.high, factor), {carry, a.where});
  return with_number(OpKind::shift_right, sum, 32, a.where);
}

/// floor(x * range / 2^128) for a random 128-bit x.
Tensor below_large(const RandomSource& source, uint64_t range, const Arithmetic64& a) {
  const Halves high = random_halves(source, 0, a);
  const Halves low = random_halves(source, 2, a);
  const Tensor shifted = with_number(OpKind::shift_left, high.high, 32, a.where);
  const Tensor whole = a.add(shifted, {high.low, a.where});
  const Tensor product = a.mul(whole, {static_cast<int64_t>(range), a.where});
  const Tensor sum = a.add(product, {multiply_high(low, range, a), a.where});
  const Tensor carry = cast(a.unsigned_lt(sum, product), DType::i64, a.where);
  return a.add(multiply_high(high, range, a), {carry, a.where});
}

bool fits(int64_t value, DType dtype) {
  return is_float(dtype) || detail::bits_of(value, dtype).has_value();
}

}  // namespace

Tensor randint(
    int64_t low, int64_t high, Shape shape, DType dtype, Generator& generator, Where where) {
  check_random(low < high, "randint", fmt::format("no integer is in [{}, {})", low, high), where);
  constexpr auto kText = "integers in [{}, {}) do not fit {}";
  check_random(fits(low, dtype) && fits(high - 1, dtype),
               "randint",
               fmt::format(kText, low, high, to_string(dtype)),
               where);
  const RandomSource source("randint", generator, std::move(shape), where);
  const Arithmetic64 arithmetic{where};
  const uint64_t range = static_cast<uint64_t>(high) - static_cast<uint64_t>(low);
  constexpr uint64_t kSmall = uint64_t{1} << 31U;
  const Tensor count = range <= kSmall ? below_small(source, range, arithmetic)
                                       : below_large(source, range, arithmetic);
  return cast(arithmetic.add(count, {low, where}), dtype, where);
}

}  // namespace wick
