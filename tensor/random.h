#pragma once

// Random tensors. Like any op they are recorded and computed where they are read, usually without
// being stored. Each takes the generator whose stream it continues; wick/tensor/generator.h says
// what streams are. Errors name op, values and the caller's line, and leave the generator as it
// was.
//
// Float results are of any float dtype. f32 and f64 are made from 24 to 53 random bits; f16 and
// bf16 are rounded from f32, but for rand, whose results stay below 1.

#include "wick/tensor/generator.h"
#include "wick/tensor/tensor.h"

namespace wick {

// Continuous distributions.

/// Uniform in [0, 1): multiples of 2^-24 for f32, 2^-53 for f64, 2^-11 for f16 and 2^-8 for bf16.
Tensor rand(Shape shape,
            DType dtype = DType::f32,
            Generator& generator = default_generator(),
            Where where = Where::current());
/// rand of the shape and dtype of x.
Tensor rand_like(const Tensor& x,
                 Generator& generator = default_generator(),
                 Where where = Where::current());
/// Uniform in [low, high); high itself may come out by rounding. Error unless both are finite and
/// low <= high.
Tensor uniform(double low,
               double high,
               Shape shape,
               DType dtype = DType::f32,
               Generator& generator = default_generator(),
               Where where = Where::current());

/// Standard normal (Box and Muller, 1958).
Tensor randn(Shape shape,
             DType dtype = DType::f32,
             Generator& generator = default_generator(),
             Where where = Where::current());
/// randn of the shape and dtype of x.
Tensor randn_like(const Tensor& x,
                  Generator& generator = default_generator(),
                  Where where = Where::current());
/// Error for a negative or infinite stddev.
Tensor normal(double mean,
              double stddev,
              Shape shape,
              DType dtype = DType::f32,
              Generator& generator = default_generator(),
              Where where = Where::current());

/// Of mean 1 / rate. Fine-grained at both ends: f32 values are rate * [2^-32, 22.2]. Error unless
/// rate is positive and finite.
Tensor exponential(double rate,
                   Shape shape,
                   DType dtype = DType::f32,
                   Generator& generator = default_generator(),
                   Where where = Where::current());
/// location - scale * log(E), E exponential of rate 1: the largest of many values. Error unless
/// scale is positive and finite.
Tensor gumbel(double location,
              double scale,
              Shape shape,
              DType dtype = DType::f32,
              Generator& generator = default_generator(),
              Where where = Where::current());

// Discrete distributions.

/// Uniform integers in [low, high). Of r integers none is likelier than another by more than
/// 2^-32 (2^-64 where r > 2^31) in proportion. Error if there is none, or if they do not fit an
/// integer dtype.
Tensor randint(int64_t low,
               int64_t high,
               Shape shape,
               DType dtype = DType::i64,
               Generator& generator = default_generator(),
               Where where = Where::current());

/// 1 or true with probability p, which counts in multiples of 2^-32. Error unless 0 <= p <= 1.
Tensor bernoulli(double p,
                 Shape shape,
                 DType dtype = DType::bool_,
                 Generator& generator = default_generator(),
                 Where where = Where::current());
/// 1 with the probability that the element of p says, otherwise 0, in the dtype of p, a float. NaN
/// and what is below 0 give 0.
Tensor bernoulli(const Tensor& p,
                 Generator& generator = default_generator(),
                 Where where = Where::current());

/// x / (1 - rate), but 0 with probability `rate` (Srivastava et al., 2014). The mask is not stored
/// for the backward pass but drawn again there. Error unless 0 <= rate <= 1 and x is a float.
Tensor dropout(const Tensor& x,
               double rate,
               Generator& generator = default_generator(),
               Where where = Where::current());

}  // namespace wick
