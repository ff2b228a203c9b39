#pragma once

// One GPU: what it can do, its context, and every driver call made on it.

#include <atomic>
#include <cstddef>
#include <exception>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>

#include "wick/runtime/cuda/driver.h"

namespace wick::runtime::cuda {

struct DeviceProperties {
  std::string name;  // "NVIDIA H100 80GB HBM3"
  int sm = 0;        // compute capability: 90 is 9.0
  size_t memory_bytes = 0;
  int multiprocessors = 0;
  int warp_size = 0;
  size_t shared_bytes_per_block = 0;  // that a kernel may ask for
  size_t shared_bytes_per_multiprocessor = 0;
  int registers_per_multiprocessor = 0;
  int threads_per_multiprocessor = 0;
  size_t l2_bytes = 0;
};

/// The device broke while it worked for this process: see `loses_device`. Nothing on it can be
/// trusted any more, and every later call throws this again.
class DeviceLost final : public Error {
 public:
  using Error::Error;
};

/// Devices that the driver shows. Throws Error where there is no driver.
int device_count(const DriverApi& api);

/// What a device can do; needs no context, which takes 100 ms and hundreds of MiB to make.
DeviceProperties read_properties(const DriverApi& api, int ordinal);

/// Holds the primary context, the one that other CUDA libraries of the process share. Thread-safe:
/// a call makes the context current on its thread first. `api` outlives the device.
class Device {
 public:
  /// Throws Error where there is no such device or no context can be made on it.
  Device(const DriverApi& api, int ordinal);
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;
  ~Device();

  [[nodiscard]] int ordinal() const { return ordinal_; }

  /// "cuda:0".
  [[nodiscard]] const std::string& name() const { return name_; }

  [[nodiscard]] const DeviceProperties& properties() const { return properties_; }

  [[nodiscard]] const DriverApi& api() const { return api_; }

  /// Calls the driver. A failure throws Error "`doing`: cuLaunchKernel: CUDA_ERROR_...: ...". One
  /// that loses the device throws DeviceLost, as does every call after it. Out of memory: asks for
  /// memory back (see `on_out_of_memory`) and tries once more.
  template <typename... Parameters, typename... Arguments>
  void call(std::string_view doing,
            const ApiFunction<CUresult(Parameters...)>& function,
            Arguments... arguments) const {
    activate();
    CUresult result = function(arguments...);
    if (result == CUDA_ERROR_OUT_OF_MEMORY && reclaim()) result = function(arguments...);
    expect_success(result, function.name(), doing);
  }

  /// For destructors: a failure is dropped, but remembered where it loses the device.
  template <typename... Parameters, typename... Arguments>
  void call_quietly(const ApiFunction<CUresult(Parameters...)>& function,
                    Arguments... arguments) const noexcept {
    try {
      activate();
      expect_success(function(arguments...), function.name(), "releasing resources");
    } catch (const std::exception&) {  // the next call that can throw says what happened
    }
  }

  /// Makes the context current on this thread, for calls of libraries that expect that. Throws
  /// DeviceLost.
  void activate() const;
  /// Throws what `call` throws.
  void expect_success(CUresult result, const char* function, std::string_view doing) const;

  [[nodiscard]] bool is_lost() const { return lost_; }

  /// Who can give memory back: called when the driver has none. Set before other threads use the
  /// device.
  void on_out_of_memory(std::function<void()> release) { release_memory_ = std::move(release); }

 private:
  [[nodiscard]] bool reclaim() const;

  const DriverApi& api_;
  int ordinal_;
  std::string name_;
  DeviceProperties properties_;
  CUdevice handle_ = 0;
  CUcontext context_ = nullptr;
  std::function<void()> release_memory_;
  mutable std::atomic<bool> lost_ = false;
  mutable std::mutex loss_mutex_;
  mutable std::string loss_;  // what lost it
};

}  // namespace wick::runtime::cuda
