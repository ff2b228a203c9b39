#pragma once

// From a generator's counters to random words, and to numbers in the unit interval. Internal.

#include <string_view>

#include "wick/tensor/generator.h"
#include "wick/tensor/ops.h"

namespace wick::detail {

/// Counters are cut in lanes that no request leaves: values that need several words take one of
/// each lane, so that they are the same however a request is cut into smaller ones.
constexpr uint64_t lane_start(int lane) {
  constexpr unsigned kLaneBits = 60;
  return static_cast<uint64_t>(lane) << kLaneBits;
}

/// Lanes below are for requests; this one is for the keys of forks.
inline constexpr int kForkLane = 15;

/// The random words of one request.
class RandomSource {
 public:
  /// Takes counters for `shape`. Error, with the generator left alone, for a bad shape.
  RandomSource(std::string_view op, Generator& generator, Shape shape, Where where);

  /// i32, independent and uniform; of different lanes independent.
  [[nodiscard]] Tensor words(int lane) const;

  /// The top `bits` bits of a lane's words, as numbers of `dtype` from 0 to 2^bits - 1.
  [[nodiscard]] Tensor top_bits(int lane, int bits, DType dtype) const;

  /// Multiples of 2^-24 for f32, of 2^-53 for f64, in [0, 1). Two lanes.
  [[nodiscard]] Tensor unit(int first_lane, DType dtype) const;

  /// In (0, 1], for logarithms: from 2^-32 for f32, from 2^-54 for f64. Two lanes.
  [[nodiscard]] Tensor positive_unit(int first_lane, DType dtype) const;

  /// -log of a uniform number, to the last few bits where it is small as well. Two lanes.
  [[nodiscard]] Tensor exponential(int first_lane, DType dtype) const;

 private:
  [[nodiscard]] Tensor wide_bits(int first_lane) const;

  GeneratorState place_;
  Shape shape_;
  Where where_;
};

/// A binary op with a number that is part of the program: it never changes.
Tensor with_number(ir::OpKind op, const Tensor& x, double number, Where where);

/// What a float dtype is computed in: narrow ones are rounded from f32. Error for other dtypes.
DType random_working_dtype(std::string_view op, DType dtype, Where where);

/// Error naming the op unless `holds`.
void check_random(bool holds, std::string_view op, const std::string& text, Where where);

}  // namespace wick::detail
