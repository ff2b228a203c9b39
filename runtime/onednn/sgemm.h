#pragma once

// oneDNN's sgemm as the library of matrix products.

#include "wick/runtime/gemm_call.h"

namespace wick::runtime::onednn {

extern const GemmLibrary<float> sgemm_library;

/// Whether the order of its sums, and so every bit, is the same for any number of threads.
bool sums_in_one_order(const MatmulShape& shape);

}  // namespace wick::runtime::onednn
