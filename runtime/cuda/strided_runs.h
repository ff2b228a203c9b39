#pragma once

// The products of a batch as few strided batches: what cuBLASLt takes in one call.

#include <cstdint>
#include <vector>

#include "wick/runtime/matmul_shape.h"

namespace wick::runtime::cuda {

/// Runs of equal length and equal strides. Strides and starts are in elements.
struct StridedRuns {
  int64_t length = 1;  // products a run
  int64_t lhs_stride = 0;
  int64_t rhs_stride = 0;
  std::vector<int64_t> lhs_starts;
  std::vector<int64_t> rhs_starts;
};

/// The longest runs that cover the batch in order: one for whole or absent batches, several where
/// an operand is broadcast along an inner axis.
StridedRuns strided_runs(const MatmulShape& shape);

}  // namespace wick::runtime::cuda
