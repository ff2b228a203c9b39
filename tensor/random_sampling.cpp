#include "wick/tensor/random_sampling.h"

#include <cstdint>
#include <span>

#include <fmt/format.h>

#include "wick/tensor/ops.h"
#include "wick/tensor/ops_search.h"
#include "wick/tensor/ops_sort.h"
#include "wick/tensor/random_source.h"
#include "wick/tensor/recording.h"

namespace wick {

using detail::check_random;
using detail::RandomSource;
using detail::record_binary;
using detail::with_number;
using ir::OpKind;

namespace {

Tensor order_of(const Tensor& keys, int64_t axis, Where where) {
  return detail::record_unary(OpKind::argsort, keys, where, detail::share({{"axis", axis}}));
}

/// Competitors in a race: exponential times over their weights. The first is a category drawn by
/// weight, and so is each next of those that are left.
Tensor finish_times(const RandomSource& source, const Tensor& weights, Where where) {
  const DType working = weights.dtype() == DType::f64 ? DType::f64 : DType::f32;
  const Tensor rates = with_number(OpKind::maximum, cast(weights, working, where), 0, where);
  const Tensor units = source.exponential(0, working);
  return record_binary(OpKind::div, {units, where}, {rates, where}, where);
}

/// Where units in [0, 1) fall among the cumulated weights. Rounding brings none to a category of
/// weight 0, neither between others nor behind the last.
Tensor positions_by_weight(const Tensor& units, const Tensor& weights, Where where) {
  const Tensor rates = with_number(OpKind::maximum, cast(weights, DType::f64, where), 0, where);
  const Tensor cumulated = cumsum(rates, -1, where);
  const Tensor total = slice(cumulated, -1, weights.size(-1, where) - 1, INT64_MAX, 1, where);
  const Tensor values = record_binary(OpKind::mul, {units, where}, {total, where}, where);
  const Tensor found = searchsorted(cumulated, values, /*right=*/true, where);
  const Tensor last = searchsorted(cumulated, total, /*right=*/false, where);
  const Tensor most =
      record_binary(OpKind::minimum, {last, where}, {weights.size(-1, where) - 1, where}, where);
  return record_binary(OpKind::minimum, {found, where}, {most, where}, where);
}

}  // namespace

Tensor randperm(int64_t n, Generator& generator, Where where) {
  check_random(n >= 0, "randperm", fmt::format("n is negative: {}", n), where);
  const RandomSource source("randperm", generator, {n}, where);
  // 64 bits each: of a million keys two are the same once in forty million draws.
  const Tensor high = cast(source.words(0), DType::i64, where);
  const Tensor low = cast(source.words(1), DType::i64, where);
  const Tensor shifted = with_number(OpKind::shift_left, high, 32, where);
  const Tensor keys = record_binary(OpKind::add, {shifted, where}, {low, where}, where);
  return order_of(keys, 0, where);
}

Tensor shuffle(const Tensor& x, int axis, Generator& generator, Where where) {
  check_random(x.defined(), "shuffle", "the tensor is undefined", where);
  return take(x, randperm(x.size(axis, where), generator, where), axis, where);
}

Tensor categorical(const Tensor& logits, int axis, Generator& generator, Where where) {
  check_random(logits.defined(), "categorical", "the tensor is undefined", where);
  const DType working = detail::random_working_dtype("categorical", logits.dtype(), where);
  const int64_t extent = logits.size(axis, where);
  check_random(extent > 0,
               "categorical",
               fmt::format("{} has no category", to_string(logits.type())),
               where);
  const RandomSource source("categorical", generator, logits.shape(), where);
  const detail::HistoryPause pause;  // a choice has no gradient
  const Tensor noise = log(source.exponential(0, working), where);
  const Tensor wide = cast(logits, working, where);
  const Tensor noisy = record_binary(OpKind::sub, {wide, where}, {noise, where}, where);
  return argmax(noisy, axis, false, where);
}

Tensor multinomial(const Tensor& weights,
                   int64_t num_samples,
                   const MultinomialOptions& options,
                   Generator& generator,
                   Where where) {
  check_random(weights.defined(), "multinomial", "the tensor is undefined", where);
  (void)detail::random_working_dtype("multinomial", weights.dtype(), where);
  check_random(weights.ndim() > 0, "multinomial", "the weights are a scalar", where);
  const int64_t extent = weights.size(-1, where);
  const int64_t most = options.replacement && extent > 0 ? INT64_MAX : extent;
  constexpr auto kText = "{} samples cannot be drawn from {} categories{}";
  check_random(
      num_samples >= 0 && num_samples <= most,
      "multinomial",
      fmt::format(kText, num_samples, extent, options.replacement ? "" : " without replacement"),
      where);
  const detail::HistoryPause pause;
  const int last = weights.ndim() - 1;
  if (!options.replacement) {
    const RandomSource source("multinomial", generator, weights.shape(), where);
    const Tensor order = order_of(finish_times(source, weights, where), last, where);
    return slice(order, last, 0, num_samples, 1, where);
  }
  Axes extents(weights.shape().begin(), weights.shape().end());
  extents.back() = num_samples;
  const RandomSource source(
      "multinomial", generator, Shape{std::span<const int64_t>(extents)}, where);
  return positions_by_weight(source.unit(0, DType::f64), weights, where);
}

}  // namespace wick
