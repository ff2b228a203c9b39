// What stands for runtime/cuda where Wick is built without CUDA headers.

#include <fmt/format.h>

#include "wick/ir/error.h"
#include "wick/runtime/built_in_backends.h"
#include "wick/runtime/device.h"
#include "wick/runtime/gpu_report.h"

namespace wick {
namespace {

constexpr auto kProblem = "this Wick was built without CUDA support (WICK_CUDA=OFF)";

}  // namespace

void synchronize() {}

namespace runtime {

DeviceMemory& device_memory(Device device) {
  throw Error({}, to_string(device), kProblem);
}

std::unique_ptr<Backend> make_cuda_backend(std::string_view name) {
  if (!name.starts_with("cuda")) return nullptr;
  throw Error({}, name, kProblem);
}

GpuReport gpu_report() {
  return {.gpus = {}, .problem = kProblem, .libraries = {}};
}

}  // namespace runtime
}  // namespace wick
