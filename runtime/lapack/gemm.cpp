// Matrix products of BLAS for libwick.so.

#include <cblas.h>

#include "wick/runtime/blas_gemms.h"

namespace {

using wick::runtime::GemmArgs;

CBLAS_TRANSPOSE transpose_of(char letter) {
  return letter == 'T' ? CblasTrans : CblasNoTrans;
}

/// By cblas_sgemm or cblas_dgemm, which count in int.
template <auto Function, typename T>
void gemm(const GemmArgs<T>& args) {
  Function(CblasRowMajor,
           transpose_of(args.transpose_lhs),
           transpose_of(args.transpose_rhs),
           static_cast<int>(args.m),
           static_cast<int>(args.n),
           static_cast<int>(args.k),
           1,
           args.lhs,
           static_cast<int>(args.lhs_stride),
           args.rhs,
           static_cast<int>(args.rhs_stride),
           args.adds ? 1 : 0,
           args.out,
           static_cast<int>(args.out_stride));
}

}  // namespace

extern "C" __attribute__((visibility("default"))) wick::runtime::BlasGemms wick_blas_gemms() {
  return {.single = gemm<cblas_sgemm, float>, .twice = gemm<cblas_dgemm, double>};
}

static_assert(std::is_same_v<decltype(wick_blas_gemms), wick::runtime::GetBlasGemms>);
