#pragma once

// A matmul op as one product per batch element.

#include <cstdint>
#include <vector>

#include "wick/runtime/library_call.h"

namespace wick::runtime {

/// C[b] (m x n) = A[b] (m x k) * B[b] (k x n); a transposed operand is stored k x m or n x k.
struct MatmulShape {
  int64_t m = 0;
  int64_t n = 0;
  int64_t k = 0;
  bool transpose_lhs = false;
  bool transpose_rhs = false;
  /// Offsets of each product's operands, in elements; broadcast operands repeat theirs.
  std::vector<int64_t> lhs_offsets;
  std::vector<int64_t> rhs_offsets;

  [[nodiscard]] int64_t batch() const { return static_cast<int64_t>(lhs_offsets.size()); }

  [[nodiscard]] int64_t lda() const { return transpose_lhs ? m : k; }

  [[nodiscard]] int64_t ldb() const { return transpose_rhs ? k : n; }
};

/// Products that share one rhs and follow each other in memory become one taller product.
MatmulShape matmul_shape(const LibraryOp& op);

/// Whether a matmul op adds a bias or applies an activation.
bool has_epilogue(const LibraryOp& op);

}  // namespace wick::runtime
