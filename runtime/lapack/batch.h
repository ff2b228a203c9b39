#pragma once

// What the linalg.* ops share: typed views of their operands and the loop over a batch.

#include <cstdint>
#include <functional>
#include <string>

#include "wick/ir/custom_op.h"

namespace wick::runtime::lapack {

/// LAPACK counts in 32 bits: throws std::invalid_argument for a larger extent.
int checked_extent(int64_t extent);

/// A call for elements of one type. Matrices lie row-major, one after the other: to LAPACK, which
/// reads columns, each is its transpose.
template <typename T>
class Call {
 public:
  Call(const void* const* operands, void* result, const ir::CustomCallInfo& info)
      : operands_(operands),
        result_(static_cast<T*>(result)),
        info_(info) {}

  [[nodiscard]] int rows(size_t operand = 0) const { return extent(operand, 2); }

  [[nodiscard]] int columns(size_t operand = 0) const { return extent(operand, 1); }

  /// How many matrices there are.
  [[nodiscard]] int64_t count() const {
    int64_t count = 1;
    const Shape& shape = info_.operands[0].shape;
    for (int axis = 0; axis + 2 < shape.ndim(); ++axis)
      count *= shape[axis];
    return count;
  }

  /// Matrix i of an operand.
  [[nodiscard]] const T* matrix(int64_t i, size_t operand = 0) const {
    return static_cast<const T*>(operands_[operand]) + i * rows(operand) * columns(operand);
  }

  /// Where the results of matrix i lie.
  [[nodiscard]] T* result(int64_t i) const {
    return result_ + i * (info_.result.numel() / count());
  }

  [[nodiscard]] bool flag(const char* name) const { return info_.attributes.flag(name); }

  [[nodiscard]] double number(const char* name) const { return info_.attributes.number(name, 0); }

 private:
  [[nodiscard]] int extent(size_t operand, int from_end) const {
    const Shape& shape = info_.operands[operand].shape;
    return checked_extent(shape[shape.ndim() - from_end]);
  }

  const void* const* operands_;
  T* result_;
  const ir::CustomCallInfo& info_;
};

/// Calls one(i) for each matrix, in parallel if there are many, else with LAPACK's own threads.
/// `work` is the number of operations of each. What `one` gives is LAPACK's info: unless all are 0,
/// throws std::runtime_error with the sentence for the first other one, and which matrix it was.
void for_each_matrix(int64_t count,
                     double work,
                     const std::function<int(int64_t)>& one,
                     const std::function<std::string(int info)>& sentence);

/// Of a decomposition that goes on until it converges.
std::string not_converged(int info);

/// `one` gives this for a matrix with NaN or infinities, on which some of LAPACK does not end.
constexpr int kNotFinite = -1000;

template <typename T>
bool all_finite(const T* values, int64_t count);

}  // namespace wick::runtime::lapack
