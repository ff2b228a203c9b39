#include "wick/runtime/cuda/module.h"

#include <fmt/format.h>

#include "wick/runtime/cuda/status.h"

namespace wick::runtime::cuda {
namespace {

/// Dynamic shared memory that a kernel gets without asking.
constexpr unsigned kDefaultSharedBytes = 48U << 10U;

}  // namespace

Module::Module(const Device& device, std::span<const std::byte> image) : device_(device) {
  std::array<char, 4096> log{};
  std::array options{CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  std::array<void*, 2> values{log.data(), reinterpret_cast<void*>(log.size())};
  device.activate();
  const auto& load = device.api().cuModuleLoadDataEx;
  const CUresult result = load(
      &handle_, image.data(), static_cast<unsigned>(options.size()), options.data(), values.data());
  const std::string_view said = log.data();
  device.expect_success(
      result,
      load.name(),
      said.empty() ? "loading kernels" : fmt::format("loading kernels: {}", said));
}

Module::~Module() {
  device_.call_quietly(device_.api().cuModuleUnload, handle_);
}

DeviceKernel Module::kernel(const std::string& name, unsigned max_shared_bytes) const {
  DeviceKernel kernel{.name = name};
  device_.call("looking up kernel " + name,
               device_.api().cuModuleGetFunction,
               &kernel.handle,
               handle_,
               name.c_str());
  if (max_shared_bytes > kDefaultSharedBytes) {
    device_.call("reserving shared memory of kernel " + name,
                 device_.api().cuFuncSetAttribute,
                 kernel.handle,
                 CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                 static_cast<int>(max_shared_bytes));
  }
  return kernel;
}

void launch(const Stream& stream,
            const DeviceKernel& kernel,
            const LaunchShape& shape,
            std::span<void* const> arguments) {
  const Device& device = stream.device();
  device.activate();
  const auto& [grid_x, grid_y, grid_z] = shape.grid;
  const auto& [block_x, block_y, block_z] = shape.block;
  const CUresult result = device.api().cuLaunchKernel(kernel.handle,
                                                      grid_x,
                                                      grid_y,
                                                      grid_z,
                                                      block_x,
                                                      block_y,
                                                      block_z,
                                                      shape.shared_bytes,
                                                      stream.handle(),
                                                      const_cast<void**>(arguments.data()),
                                                      nullptr);
  if (result == CUDA_SUCCESS) return;  // formats nothing on the way that steady loops take
  device.expect_success(result,
                        device.api().cuLaunchKernel.name(),
                        fmt::format("launching {} with grid ({}, {}, {}), block ({}, {}, {}), {} "
                                    "bytes of shared memory",
                                    kernel.name,
                                    grid_x,
                                    grid_y,
                                    grid_z,
                                    block_x,
                                    block_y,
                                    block_z,
                                    shape.shared_bytes));
}

}  // namespace wick::runtime::cuda
