#pragma once

// cuBLASLt, the library of matrix products.

#include <cublasLt.h>

#include "wick/runtime/cuda/api_table.h"

namespace wick::runtime::cuda {

struct CublasLtApi {
#define WICK_CUDA_FUNCTIONS "wick/runtime/cuda/cublaslt.def"
#include "wick/runtime/cuda/api_members.inc"
};

template <>
ApiSlot<CublasLtApi>& api_slot<CublasLtApi>();

/// Throws Error: "cuda: no cuBLASLt: libcublasLt.so.13: cannot open ...".
inline const CublasLtApi& cublaslt() {
  return api_slot<CublasLtApi>().get();
}

/// The same; where there is none, the reason.
inline Found<CublasLtApi> try_cublaslt() {
  return api_slot<CublasLtApi>().find();
}

}  // namespace wick::runtime::cuda
