#pragma once

// All that Wick keeps of one GPU.

#include <memory>
#include <mutex>
#include <vector>

#include "wick/runtime/cuda/blas.h"
#include "wick/runtime/cuda/device_memory.h"
#include "wick/runtime/cuda/dnn.h"
#include "wick/runtime/cuda/programs.h"
#include "wick/runtime/cuda/stream.h"
#include "wick/runtime/cuda/transfer.h"
#include "wick/runtime/device.h"

namespace wick::runtime::cuda {

/// A device with its compute stream (see stream.h for what may be enqueued when), its memory and
/// its way to the host. Thread-safe.
class Gpu final : public DeviceMemory {
 public:
  /// `api` outlives it. Throws Error where the device cannot be opened.
  Gpu(const DriverApi& api, int ordinal, ProgramCompiler& compiler = nvrtc_compiler());

  [[nodiscard]] const Device& device() const { return device_; }

  [[nodiscard]] const Stream& stream() const { return stream_; }

  [[nodiscard]] wick::Device where() const override { return wick::cuda(device_.ordinal()); }

  [[nodiscard]] const std::shared_ptr<MemoryManager>& memory() const override { return memory_; }

  // Copies go by the compute stream.

  void upload(void* device_memory, const void* from, size_t bytes) override {
    uploads_.upload(stream_, device_memory, from, bytes);
  }

  void download(void* to, const void* device_memory, size_t bytes) override {
    downloads_.download(stream_, to, device_memory, bytes);
  }

  void copy(void* to, const void* from, size_t bytes) override {
    copy_on_device(stream_, to, from, bytes);
  }

  void synchronize() override { stream_.synchronize(); }

  [[nodiscard]] Programs& programs() { return programs_; }

  /// The libraries are opened at the first call. Throw Error where one is absent.
  Blas& blas();
  Dnn& dnn();

 private:
  Device device_;
  Stream stream_;
  std::shared_ptr<MemoryManager> memory_;  // shared with the buffers that it made
  StagingRing uploads_;
  StagingRing downloads_;  // apart: these wait for the device, and no upload waits for them
  Programs programs_;
  std::once_flag blas_once_;
  std::unique_ptr<Blas> blas_;
  std::once_flag dnn_once_;
  std::unique_ptr<Dnn> dnn_;
};

/// GPUs that were opened.
std::vector<Gpu*> open_gpus();

/// The GPU `cuda:<ordinal>`, opened at the first call and kept until the process ends. Throws Error
/// where there is no driver or no such device.
Gpu& gpu(int ordinal = 0);

/// While it lives, `api` stands for the driver everywhere in the process, and `gpu` gives devices
/// of it that get their code from `compiler`: for tests. None of them is in use when it ends.
class ScopedDriver {
 public:
  explicit ScopedDriver(const DriverApi& api, ProgramCompiler& compiler = nvrtc_compiler());
  ScopedDriver(const ScopedDriver&) = delete;
  ScopedDriver& operator=(const ScopedDriver&) = delete;
  ~ScopedDriver();

 private:
  ScopedApi<DriverApi> api_;
  std::vector<std::unique_ptr<Gpu>> previous_;
  ProgramCompiler* previous_compiler_;
};

}  // namespace wick::runtime::cuda
