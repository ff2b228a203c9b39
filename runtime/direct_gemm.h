#pragma once

// Single-precision products that read their operands where they lie: of matrices that are small or
// narrow, whose copies would take as long as the product. Internal to runtime/.

#include "wick/runtime/gemm_call.h"

namespace wick::runtime {

/// Ways of summing. In each, an element is summed in an order that depends on k alone.
struct DirectGemms {
  /// Vectors of columns of the result. A transposed rhs is copied in strips.
  GemmLibrary<float> along_columns;
  /// Vectors of rows of the result, for a transposed lhs.
  GemmLibrary<float> along_rows;
};

/// With vectors of 8 or 16 lanes, for machines that have them.
template <int64_t kLanes>
const DirectGemms& direct_gemms();
template <>
const DirectGemms& direct_gemms<8>();
template <>
const DirectGemms& direct_gemms<16>();

}  // namespace wick::runtime
