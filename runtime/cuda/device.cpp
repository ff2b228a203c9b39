#include "wick/runtime/cuda/device.h"

#include <array>

#include <fmt/format.h>

#include "wick/runtime/cuda/status.h"

namespace wick::runtime::cuda {
namespace {

std::string device_name(int ordinal) {
  return fmt::format("cuda:{}", ordinal);
}

/// Calls that need no context, while there is none yet.
template <typename... Parameters, typename... Arguments>
void call_driver(const DriverApi& api,
                 int ordinal,
                 const ApiFunction<CUresult(Parameters...)>& function,
                 Arguments... arguments) {
  const CUresult result = function(arguments...);
  if (result == CUDA_SUCCESS) return;
  throw Error({},
              device_name(ordinal),
              fmt::format("opening the device: {}: {}", function.name(), to_string(api, result)));
}

CUdevice find_device(const DriverApi& api, int ordinal) {
  const int count = device_count(api);
  if (ordinal < 0 || ordinal >= count) {
    throw Error({}, device_name(ordinal), fmt::format("no such device: there are {}", count));
  }
  CUdevice handle = 0;
  call_driver(api, ordinal, api.cuDeviceGet, &handle, ordinal);
  return handle;
}

}  // namespace

int device_count(const DriverApi& api) {
  int count = 0;
  const CUresult result = api.cuDeviceGetCount(&count);
  if (result != CUDA_SUCCESS) {
    throw Error({}, "cuda", "counting devices: cuDeviceGetCount: " + to_string(api, result));
  }
  return count;
}

DeviceProperties read_properties(const DriverApi& api, int ordinal) {
  const CUdevice device = find_device(api, ordinal);
  const auto attribute = [&](CUdevice_attribute which) {
    int value = 0;
    call_driver(api, ordinal, api.cuDeviceGetAttribute, &value, which, device);
    return value;
  };
  const auto bytes = [&](CUdevice_attribute which) {
    return static_cast<size_t>(attribute(which));
  };
  std::array<char, 256> name{};
  call_driver(
      api, ordinal, api.cuDeviceGetName, name.data(), static_cast<int>(name.size()), device);
  size_t memory_bytes = 0;
  call_driver(api, ordinal, api.cuDeviceTotalMem, &memory_bytes, device);
  return {
      .name = name.data(),
      .sm = 10 * attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR) +
            attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR),
      .memory_bytes = memory_bytes,
      .multiprocessors = attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT),
      .warp_size = attribute(CU_DEVICE_ATTRIBUTE_WARP_SIZE),
      .shared_bytes_per_block = bytes(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN),
      .shared_bytes_per_multiprocessor =
          bytes(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR),
      .registers_per_multiprocessor =
          attribute(CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR),
      .threads_per_multiprocessor = attribute(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR),
      .l2_bytes = bytes(CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE)};
}

Device::Device(const DriverApi& api, int ordinal)
    : api_(api),
      ordinal_(ordinal),
      name_(device_name(ordinal)),
      properties_(read_properties(api, ordinal)),
      handle_(find_device(api, ordinal)) {
  call_driver(api, ordinal, api.cuDevicePrimaryCtxRetain, &context_, handle_);
}

Device::~Device() {
  api_.cuDevicePrimaryCtxRelease(handle_);
}

void Device::activate() const {
  if (lost_) {
    const std::lock_guard lock(loss_mutex_);
    throw DeviceLost({}, name_, "the device was lost: " + loss_);
  }
  expect_success(api_.cuCtxSetCurrent(context_), "cuCtxSetCurrent", "using the device");
}

void Device::expect_success(CUresult result, const char* function, std::string_view doing) const {
  if (result == CUDA_SUCCESS) return;
  const std::string text = fmt::format("{}: {}: {}", doing, function, to_string(api_, result));
  if (!loses_device(result)) throw Error({}, name_, text);
  {
    const std::lock_guard lock(loss_mutex_);
    if (loss_.empty()) loss_ = text;
  }
  lost_ = true;
  throw DeviceLost({}, name_, text);
}

bool Device::reclaim() const {
  if (!release_memory_) return false;
  release_memory_();
  return true;
}

}  // namespace wick::runtime::cuda
