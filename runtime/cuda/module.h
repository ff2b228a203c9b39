#pragma once

// Compiled kernels on a device, and their launch.

#include <array>
#include <cstddef>
#include <span>
#include <string>

#include "wick/runtime/cuda/stream.h"

namespace wick::runtime::cuda {

/// A function of a loaded module; lives as long as that.
struct DeviceKernel {
  CUfunction handle = nullptr;
  std::string name;
};

/// Numbers of blocks and of threads a block, by axes x, y, z.
struct LaunchShape {
  std::array<unsigned, 3> grid = {1, 1, 1};
  std::array<unsigned, 3> block = {1, 1, 1};
  unsigned shared_bytes = 0;  // dynamic shared memory of a block
};

/// A cubin or PTX image in a device's memory.
class Module {
 public:
  /// PTX ends with a zero byte. Throws Error with the driver's log where the image does not fit the
  /// device or does not compile.
  Module(const Device& device, std::span<const std::byte> image);
  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;
  /// No launch of its kernels is in flight.
  ~Module();

  /// `max_shared_bytes`: the most dynamic shared memory that a launch will ask for.
  [[nodiscard]] DeviceKernel kernel(const std::string& name, unsigned max_shared_bytes = 0) const;

 private:
  const Device& device_;
  CUmodule handle_ = nullptr;
};

/// Enqueues a launch. `arguments` holds the address of each argument, which is copied now. A fault
/// of the kernel itself surfaces at a later wait.
void launch(const Stream& stream,
            const DeviceKernel& kernel,
            const LaunchShape& shape,
            std::span<void* const> arguments);

}  // namespace wick::runtime::cuda
