#include "wick/runtime/cuda/device_libraries.h"

#include <fmt/format.h>

#include "wick/runtime/cuda/device_call.h"

namespace wick::runtime::cuda {

HostFallback::HostFallback(std::unique_ptr<HostCall> call)
    : call_(std::move(call)),
      implementation_(fmt::format("host, {}", call_->implementation())) {}

std::unique_ptr<LibraryCall> device_library(const LibraryOp& op, int threads) {
  for (const auto make : {make_cublaslt_matmul, make_cudnn_convolution, make_native_device_call}) {
    if (std::unique_ptr<DeviceCall> call = make(op)) return call;
  }
  std::unique_ptr<HostCall> host = make_host_call(op, threads);
  return host ? std::make_unique<HostFallback>(std::move(host)) : nullptr;
}

}  // namespace wick::runtime::cuda
