#pragma once

// All that Wick keeps of one GPU.

#include <memory>
#include <mutex>
#include <vector>

#include "wick/runtime/cuda/blas.h"
#include "wick/runtime/cuda/device_memory.h"
#include "wick/runtime/cuda/dnn.h"
#include "wick/runtime/cuda/stream.h"
#include "wick/runtime/cuda/transfer.h"

namespace wick::runtime::cuda {

/// A device with its compute stream (see stream.h for what may be enqueued when), its memory and
/// its way to the host. Thread-safe.
class Gpu {
 public:
  /// `api` outlives it. Throws Error where the device cannot be opened.
  Gpu(const DriverApi& api, int ordinal);

  [[nodiscard]] const Device& device() const { return device_; }

  [[nodiscard]] const Stream& stream() const { return stream_; }

  /// Must not outlive the Gpu.
  [[nodiscard]] const std::shared_ptr<MemoryManager>& memory() const { return memory_; }

  /// Copies to the device on the compute stream. Returns when all of `from` is read.
  void upload(void* device_memory, const void* from, size_t bytes) {
    uploads_.upload(stream_, device_memory, from, bytes);
  }

  /// Copies from the device, after all that was enqueued before, and waits for it. Throws what went
  /// wrong there.
  void download(void* to, const void* device_memory, size_t bytes) {
    downloads_.download(stream_, to, device_memory, bytes);
  }

  /// The libraries are opened at the first call. Throw Error where one is absent.
  Blas& blas();
  Dnn& dnn();

 private:
  Device device_;
  Stream stream_;
  std::shared_ptr<MemoryManager> memory_;  // shared with the buffers that it made
  StagingRing uploads_;
  StagingRing downloads_;  // apart: these wait for the device, and no upload waits for them
  std::once_flag blas_once_;
  std::unique_ptr<Blas> blas_;
  std::once_flag dnn_once_;
  std::unique_ptr<Dnn> dnn_;
};

/// The GPU `cuda:<ordinal>`, opened at the first call and kept until the process ends. Throws Error
/// where there is no driver or no such device.
Gpu& gpu(int ordinal = 0);

/// While it lives, `api` stands for the driver everywhere in the process, and `gpu` gives devices
/// of it: for tests. None of them is in use when it ends.
class ScopedDriver {
 public:
  explicit ScopedDriver(const DriverApi& api);
  ScopedDriver(const ScopedDriver&) = delete;
  ScopedDriver& operator=(const ScopedDriver&) = delete;
  ~ScopedDriver();

 private:
  ScopedApi<DriverApi> api_;
  std::vector<std::unique_ptr<Gpu>> previous_;
};

}  // namespace wick::runtime::cuda
