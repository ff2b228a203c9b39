// Matrix products by BLAS, which lives with LAPACK in libwick-lapack.so: of f64, and of f32 in
// builds without oneDNN.

#include <algorithm>
#include <limits>
#include <type_traits>

#include "wick/runtime/blas_gemms.h"
#include "wick/runtime/library_ops.h"

namespace wick::runtime {
namespace {

template <typename T>
GemmLibrary<T> library() {
  static const BlasGemms gemms = reinterpret_cast<GetBlasGemms*>(lapack_entry("wick_blas_gemms"))();
  if constexpr (std::is_same_v<T, float>) {
    return {.implementation = "openblas sgemm", .gemm = gemms.single, .piece = 256};
  } else {
    return {.implementation = "openblas dgemm", .gemm = gemms.twice, .piece = 256};
  }
}

/// Null where sizes are beyond what BLAS counts in.
template <typename T>
std::unique_ptr<HostCall> make_call(const LibraryOp& op) {
  const MatmulShape shape = matmul_shape(op);
  if (std::max({shape.m, shape.n, shape.k}) > std::numeric_limits<int>::max()) return nullptr;
  return std::make_unique<GemmCall<T>>(library<T>(), shape, RowStrides{shape.lda(), shape.ldb()});
}

}  // namespace

std::unique_ptr<HostCall> make_blas_matmul(const LibraryOp& op) {
  if (op.op != ir::OpKind::matmul || has_epilogue(op)) return nullptr;
  const bool sums_nothing = op.operands[0].numel() == 0;
  if (op.result.numel() == 0 || sums_nothing) return nullptr;
  if (op.result.dtype == DType::f64) return make_call<double>(op);
  return op.result.dtype == DType::f32 ? make_call<float>(op) : nullptr;
}

}  // namespace wick::runtime
