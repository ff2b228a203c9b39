#pragma once

// cuBLASLt, the library of matrix products.

#include <cublasLt.h>

#include "wick/runtime/cuda/api_table.h"

namespace wick::runtime::cuda {

struct CublasLtApi {
#define WICK_CUDA_FUNCTION(name) ApiFunction<decltype(::name)> name{#name};
#include "wick/runtime/cuda/cublaslt.def"
#undef WICK_CUDA_FUNCTION

  template <typename Visit>
  void for_each(Visit visit) {
#define WICK_CUDA_FUNCTION(name) visit(name);
#include "wick/runtime/cuda/cublaslt.def"
#undef WICK_CUDA_FUNCTION
  }
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
