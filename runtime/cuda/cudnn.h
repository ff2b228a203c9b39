#pragma once

// cuDNN, the library of convolutions.

#include <cudnn.h>

#include "wick/runtime/cuda/api_table.h"

namespace wick::runtime::cuda {

struct CudnnApi {
#define WICK_CUDA_FUNCTIONS "wick/runtime/cuda/cudnn.def"
#include "wick/runtime/cuda/api_members.inc"
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
