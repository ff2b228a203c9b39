#pragma once

// What the driver's results mean.

#include <string>

#include "wick/runtime/cuda/driver.h"

namespace wick::runtime::cuda {

/// "CUDA_ERROR_OUT_OF_MEMORY: out of memory".
std::string to_string(const DriverApi& api, CUresult result);

/// True for failures after which every call on the device fails: a kernel read a wild address, the
/// hardware broke, the context is gone. Only a new process gets the device back.
bool loses_device(CUresult result);

}  // namespace wick::runtime::cuda
