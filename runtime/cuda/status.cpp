#include "wick/runtime/cuda/status.h"

#include <fmt/format.h>

namespace wick::runtime::cuda {

std::string to_string(const DriverApi& api, CUresult result) {
  const char* name = nullptr;  // the driver's stub library gives none
  const char* description = nullptr;
  api.cuGetErrorName(result, &name);
  api.cuGetErrorString(result, &description);
  if (name == nullptr) return fmt::format("error {}", static_cast<int>(result));
  if (description == nullptr) return name;
  return fmt::format("{}: {}", name, description);
}

bool loses_device(CUresult result) {
  switch (result) {
    case CUDA_ERROR_DEINITIALIZED:
    case CUDA_ERROR_ECC_UNCORRECTABLE:
    case CUDA_ERROR_NVLINK_UNCORRECTABLE:
    case CUDA_ERROR_CONTAINED:
    case CUDA_ERROR_ILLEGAL_ADDRESS:
    case CUDA_ERROR_LAUNCH_TIMEOUT:
    case CUDA_ERROR_CONTEXT_IS_DESTROYED:
    case CUDA_ERROR_ASSERT:
    case CUDA_ERROR_HARDWARE_STACK_ERROR:
    case CUDA_ERROR_ILLEGAL_INSTRUCTION:
    case CUDA_ERROR_MISALIGNED_ADDRESS:
    case CUDA_ERROR_INVALID_ADDRESS_SPACE:
    case CUDA_ERROR_INVALID_PC:
    case CUDA_ERROR_LAUNCH_FAILED:
    case CUDA_ERROR_TENSOR_MEMORY_LEAK:
    case CUDA_ERROR_MPS_CLIENT_TERMINATED:
    case CUDA_ERROR_EXTERNAL_DEVICE:
      return true;
    default:
      return false;  // the call did nothing
  }
}

}  // namespace wick::runtime::cuda
