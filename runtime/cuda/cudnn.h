#pragma once

// cuDNN, the library of convolutions.

#include <cudnn.h>

#include "wick/runtime/cuda/api_table.h"

namespace wick::runtime::cuda {

struct CudnnApi {
#define WICK_CUDA_FUNCTION(name) ApiFunction<decltype(::name)> name{#name};
#include "wick/runtime/cuda/cudnn.def"
#undef WICK_CUDA_FUNCTION

  template <typename Visit>
  void for_each(Visit visit) {
#define WICK_CUDA_FUNCTION(name) visit(name);
#include "wick/runtime/cuda/cudnn.def"
#undef WICK_CUDA_FUNCTION
  }
};

template <>
ApiSlot<CudnnApi>& api_slot<CudnnApi>();

/// Throws Error: "cuda: no cuDNN: libcudnn.so.9: cannot open ...".
inline const CudnnApi& cudnn() {
  return api_slot<CudnnApi>().get();
}

/// The same; where there is none, the reason.
inline Found<CudnnApi> try_cudnn() {
  return api_slot<CudnnApi>().find();
}

}  // namespace wick::runtime::cuda
