// Matrix products of BLAS for libwick.so.

#include <cblas.h>

#include "wick/runtime/library_ops.h"

namespace {

CBLAS_TRANSPOSE transpose_of(char letter) {
  return letter == 'T' ? CblasTrans : CblasNoTrans;
}

/// cblas_sgemm or cblas_dgemm, which count in int.
template <auto Function, typename T>
void gemm(char transpose_lhs,
          char transpose_rhs,
          int64_t m,
          int64_t n,
          int64_t k,
          const T* lhs,
          int64_t lhs_stride,
          const T* rhs,
          int64_t rhs_stride,
          T* out,
          int64_t out_stride) {
  Function(CblasRowMajor,
           transpose_of(transpose_lhs),
           transpose_of(transpose_rhs),
           static_cast<int>(m),
           static_cast<int>(n),
           static_cast<int>(k),
           1,
           lhs,
           static_cast<int>(lhs_stride),
           rhs,
           static_cast<int>(rhs_stride),
           0,
           out,
           static_cast<int>(out_stride));
}

}  // namespace

extern "C" __attribute__((visibility("default"))) wick::runtime::BlasGemms wick_blas_gemms() {
  return {.single = gemm<cblas_sgemm, float>, .twice = gemm<cblas_dgemm, double>};
}

static_assert(std::is_same_v<decltype(wick_blas_gemms), wick::runtime::GetBlasGemms>);
