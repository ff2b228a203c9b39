#include "wick/tensor/random.h"

#include <cmath>
#include <limits>
#include <numbers>

#include <fmt/format.h>

#include "wick/tensor/random_source.h"
#include "wick/tensor/recording.h"

namespace wick {

using detail::check_random;
using detail::random_working_dtype;
using detail::RandomSource;
using detail::record_binary;
using detail::with_number;
using ir::OpKind;

namespace {

Tensor scaled(const Tensor& x, double factor, double offset, Where where) {
  const Tensor product = record_binary(OpKind::mul, {x, where}, {factor, where}, where);
  return record_binary(OpKind::add, {product, where}, {offset, where}, where);
}

Tensor standard_normal(const RandomSource& source, DType dtype, Where where) {
  const Tensor u = source.positive_unit(0, dtype);
  const Tensor radius = sqrt(with_number(OpKind::mul, log(u, where), -2, where), where);
  const Tensor turn = with_number(OpKind::mul, source.unit(2, dtype), 2 * std::numbers::pi, where);
  return record_binary(OpKind::mul, {radius, where}, {cos(turn, where), where}, where);
}

void check_scale(std::string_view op, std::string_view name, double value, Where where) {
  constexpr auto kText = "{} must be positive and finite, it is {}";
  check_random(value > 0 && std::isfinite(value), op, fmt::format(kText, name, value), where);
}

void check_probability(std::string_view op, std::string_view name, double value, Where where) {
  constexpr auto kText = "{} must be in [0, 1], it is {}";
  check_random(value >= 0 && value <= 1, op, fmt::format(kText, name, value), where);
}

/// True with probability p. Words are compared as they are: for masks that are drawn twice, the
/// fewer ops the better.
Tensor mask(const RandomSource& source, double p, Where where) {
  const auto count = static_cast<int64_t>(std::nearbyint(std::ldexp(p, 32)));  // that give true
  constexpr int64_t kSmallest = std::numeric_limits<int32_t>::min();
  const Tensor words = source.words(0);
  if (count == 0) return record_binary(OpKind::lt, {words, where}, {kSmallest, where}, where);
  return record_binary(OpKind::le, {words, where}, {kSmallest + count - 1, where}, where);
}

}  // namespace

Tensor rand(Shape shape, DType dtype, Generator& generator, Where where) {
  const DType working = random_working_dtype("rand", dtype, where);
  const RandomSource source("rand", generator, std::move(shape), where);
  if (dtype == working) return source.unit(0, dtype);
  // As many bits as fit: rounding more of them could give 1.
  const int bits = dtype == DType::f16 ? 11 : 8;
  const Tensor count = source.top_bits(0, bits, working);
  return cast(with_number(OpKind::mul, count, std::ldexp(1.0, -bits), where), dtype, where);
}

Tensor rand_like(const Tensor& x, Generator& generator, Where where) {
  check_random(x.defined(), "rand_like", "the tensor is undefined", where);
  return rand(x.shape(), x.dtype(), generator, where);
}

Tensor uniform(
    double low, double high, Shape shape, DType dtype, Generator& generator, Where where) {
  const DType working = random_working_dtype("uniform", dtype, where);
  constexpr auto kText = "[{}, {}) is no finite interval";
  check_random(std::isfinite(low) && std::isfinite(high) && low <= high,
               "uniform",
               fmt::format(kText, low, high),
               where);
  const RandomSource source("uniform", generator, std::move(shape), where);
  return cast(scaled(source.unit(0, working), high - low, low, where), dtype, where);
}

Tensor randn(Shape shape, DType dtype, Generator& generator, Where where) {
  const DType working = random_working_dtype("randn", dtype, where);
  const RandomSource source("randn", generator, std::move(shape), where);
  return cast(standard_normal(source, working, where), dtype, where);
}

Tensor randn_like(const Tensor& x, Generator& generator, Where where) {
  check_random(x.defined(), "randn_like", "the tensor is undefined", where);
  return randn(x.shape(), x.dtype(), generator, where);
}

Tensor normal(
    double mean, double stddev, Shape shape, DType dtype, Generator& generator, Where where) {
  const DType working = random_working_dtype("normal", dtype, where);
  constexpr auto kText = "mean and stddev must be finite and stddev not negative, they are {}, {}";
  check_random(std::isfinite(mean) && std::isfinite(stddev) && stddev >= 0,
               "normal",
               fmt::format(kText, mean, stddev),
               where);
  const RandomSource source("normal", generator, std::move(shape), where);
  const Tensor standard = standard_normal(source, working, where);
  return cast(scaled(standard, stddev, mean, where), dtype, where);
}

Tensor exponential(double rate, Shape shape, DType dtype, Generator& generator, Where where) {
  const DType working = random_working_dtype("exponential", dtype, where);
  check_scale("exponential", "the rate", rate, where);
  const RandomSource source("exponential", generator, std::move(shape), where);
  const Tensor unit = source.exponential(0, working);
  return cast(record_binary(OpKind::mul, {unit, where}, {1 / rate, where}, where), dtype, where);
}

Tensor gumbel(
    double location, double scale, Shape shape, DType dtype, Generator& generator, Where where) {
  const DType working = random_working_dtype("gumbel", dtype, where);
  check_scale("gumbel", "the scale", scale, where);
  const RandomSource source("gumbel", generator, std::move(shape), where);
  const Tensor standard = log(source.exponential(0, working), where);
  return cast(scaled(standard, -scale, location, where), dtype, where);
}

Tensor bernoulli(double p, Shape shape, DType dtype, Generator& generator, Where where) {
  check_probability("bernoulli", "p", p, where);
  const RandomSource source("bernoulli", generator, std::move(shape), where);
  return cast(mask(source, p, where), dtype, where);
}

Tensor bernoulli(const Tensor& p, Generator& generator, Where where) {
  check_random(p.defined(), "bernoulli", "the tensor is undefined", where);
  const DType working = random_working_dtype("bernoulli", p.dtype(), where);
  const RandomSource source("bernoulli", generator, p.shape(), where);
  const detail::HistoryPause pause;  // a draw is a constant
  const Tensor wide = cast(p, working, where);
  const Tensor unit = source.unit(0, working);
  const Tensor is_one = record_binary(OpKind::lt, {unit, where}, {wide, where}, where);
  return cast(is_one, p.dtype(), where);
}

Tensor dropout(const Tensor& x, double rate, Generator& generator, Where where) {
  check_random(x.defined(), "dropout", "the tensor is undefined", where);
  check_probability("dropout", "the rate", rate, where);
  (void)random_working_dtype("dropout", x.dtype(), where);
  const RandomSource source("dropout", generator, x.shape(), where);
  const Tensor kept = mask(source, 1 - rate, where);
  const double scale = rate < 1 ? 1 / (1 - rate) : 0;  // gradients of what goes are 0, not NaN
  const Tensor scaled_up = record_binary(OpKind::mul, {x, where}, {scale, where}, where);
  return detail::record_where(kept, {scaled_up, where}, {0, where}, where);
}

}  // namespace wick
