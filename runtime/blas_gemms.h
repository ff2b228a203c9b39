#pragma once

// What libwick-lapack.so exports for products by BLAS. Internal.

#include "wick/runtime/gemm_call.h"

namespace wick::runtime {

struct BlasGemms {
  Gemm<float>* single = nullptr;
  Gemm<double>* twice = nullptr;
};

using GetBlasGemms = BlasGemms();

}  // namespace wick::runtime
