#pragma once

// NCCL, the library of collectives between GPUs.

#include <nccl.h>

#include "wick/runtime/cuda/api_table.h"

namespace wick::runtime::cuda {

struct NcclApi {
#define WICK_CUDA_FUNCTIONS "wick/runtime/cuda/nccl.def"
#include "wick/runtime/cuda/api_members.inc"
};

template <>
ApiSlot<NcclApi>& api_slot<NcclApi>();

/// Throws Error: "cuda: no NCCL: libnccl.so.2: cannot open ...".
inline const NcclApi& nccl() {
  return api_slot<NcclApi>().get();
}

/// The same; where there is none, the reason.
inline Found<NcclApi> try_nccl() {
  return api_slot<NcclApi>().find();
}

}  // namespace wick::runtime::cuda
