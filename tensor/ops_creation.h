#pragma once

// More ways to make tensors: ranges, and tensors like others.

#include <optional>

#include "wick/tensor/ops.h"

namespace wick {

namespace detail {

Tensor arange_of_integers(int64_t start, int64_t stop, int64_t step, DType dtype, Where where);
Tensor arange_of_reals(double start, double stop, double step, DType dtype, Where where);

}  // namespace detail

/// start, start + step, ... before stop: i64 of integers, f32 of others. Values of any float dtype
/// are computed in f64 and rounded once. Error if step is 0 or leads away from stop.
template <Arithmetic A, Arithmetic B, Arithmetic C = int>
Tensor arange(
    A start, B stop, C step = 1, std::optional<DType> dtype = {}, Where where = Where::current()) {
  if constexpr (std::is_integral_v<A> && std::is_integral_v<B> && std::is_integral_v<C>) {
    return detail::arange_of_integers(static_cast<int64_t>(start),
                                      static_cast<int64_t>(stop),
                                      static_cast<int64_t>(step),
                                      dtype.value_or(DType::i64),
                                      where);
  } else {
    return detail::arange_of_reals(static_cast<double>(start),
                                   static_cast<double>(stop),
                                   static_cast<double>(step),
                                   dtype.value_or(DType::f32),
                                   where);
  }
}

/// base to the power of linspace's values.
Tensor logspace(double start,
                double stop,
                int64_t count,
                double base = 10,
                DType dtype = DType::f32,
                Where where = Where::current());
/// Evenly spaced by ratio; the ends are exact, of one sign and not 0.
Tensor geomspace(double start,
                 double stop,
                 int64_t count,
                 DType dtype = DType::f32,
                 Where where = Where::current());
/// 1 where column - row is `offset`, else 0.
Tensor eye(int64_t rows,
           int64_t columns,
           int64_t offset = 0,
           DType dtype = DType::f32,
           Where where = Where::current());

// Of another tensor's shape and, unless given, dtype.
Tensor zeros_like(const Tensor& x, std::optional<DType> dtype = {}, Where where = Where::current());
Tensor ones_like(const Tensor& x, std::optional<DType> dtype = {}, Where where = Where::current());
Tensor full_like(const Tensor& x,
                 const Operand& value,
                 std::optional<DType> dtype = {},
                 Where where = Where::current());

}  // namespace wick
