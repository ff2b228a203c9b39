#pragma once

// The CUDA driver, libcuda.so.1: comes with the kernel module of a machine that has a GPU, never
// with the toolkit.

#include <cuda.h>

#include "wick/runtime/cuda/api_table.h"

namespace wick::runtime::cuda {

/// Members are called as cuda.h names them: `driver().cuMemAlloc(...)`. Where the header makes that
/// name a macro (cuMemAlloc_v2), it does so here and there alike.
struct DriverApi {
#define WICK_CUDA_FUNCTIONS "wick/runtime/cuda/driver.def"
#include "wick/runtime/cuda/api_members.inc"
};

template <>
ApiSlot<DriverApi>& api_slot<DriverApi>();

/// The driver, initialized. Throws Error: "cuda: no driver: libcuda.so.1: cannot open ...".
inline const DriverApi& driver() {
  return api_slot<DriverApi>().get();
}

/// The same; where there is none, the reason.
inline Found<DriverApi> try_driver() {
  return api_slot<DriverApi>().find();
}

}  // namespace wick::runtime::cuda
