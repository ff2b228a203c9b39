#pragma once

// Random choices: orders, categories, samples, and the truncated normal distribution. As the
// functions of wick/tensor/random.h, in whose spirit they take a generator.

#include "wick/tensor/generator.h"
#include "wick/tensor/tensor.h"

namespace wick {

/// The integers below n in random order: i64[n], the order of random 64-bit keys. Error for n < 0.
Tensor randperm(int64_t n,
                Generator& generator = default_generator(),
                Where where = Where::current());
/// The slices of x along an axis in random order.
Tensor shuffle(const Tensor& x,
               int axis = 0,
               Generator& generator = default_generator(),
               Where where = Where::current());

/// One category of each distribution softmax(logits, axis): f32[..., n] gives i64[...], by the
/// largest of logits with Gumbel noise. The logits need not be normalized; -inf is never chosen
/// unless all are.
Tensor categorical(const Tensor& logits,
                   int axis = -1,
                   Generator& generator = default_generator(),
                   Where where = Where::current());

struct MultinomialOptions {
  bool replacement = false;
};

/// So many categories of each distribution, whose float weights are not negative and need not add
/// up to 1: f32[..., n] gives i64[..., num_samples]. Without replacement they are different and in
/// the order in which they would be drawn one after another (Efraimidis and Spirakis, 2006);
/// categories of weight 0 come last, so they are chosen only if there are too few others. With
/// replacement each is where a uniform number falls among the cumulated weights, in f64. Error if
/// num_samples is negative, or above n without replacement.
Tensor multinomial(const Tensor& weights,
                   int64_t num_samples,
                   const MultinomialOptions& options = {},
                   Generator& generator = default_generator(),
                   Where where = Where::current());

struct TruncatedNormalOptions {
  double mean = 0;
  double stddev = 1;
  double low = -2;  // bounds of the values
  double high = 2;
  DType dtype = DType::f32;
};

/// The normal distribution given that the value is in [low, high], by its quantile function
/// (Wichura, 1988, AS 241), computed in f64. Error unless low < high and stddev is positive, or
/// when the distribution has next to nothing there: bounds beyond 36 stddev.
Tensor truncated_normal(Shape shape,
                        const TruncatedNormalOptions& options = {},
                        Generator& generator = default_generator(),
                        Where where = Where::current());

}  // namespace wick
