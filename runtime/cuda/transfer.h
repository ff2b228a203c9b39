#pragma once

// Copies between host and device, and on the device.

#include <cstddef>
#include <memory>
#include <mutex>
#include <vector>

#include "wick/runtime/cuda/pinned_memory.h"
#include "wick/runtime/cuda/stream.h"

namespace wick::runtime::cuda {

inline CUdeviceptr address_of(const void* device_memory) {
  return reinterpret_cast<CUdeviceptr>(device_memory);
}

/// Enqueues a copy on one device. The ranges do not overlap.
void copy_on_device(const Stream& stream, void* to, const void* from, size_t bytes);
/// Enqueues a fill with zero bytes.
void fill_zero(const Stream& stream, void* device_memory, size_t bytes);

struct StagingOptions {
  size_t slot_bytes = size_t{4} << 20U;  // large enough for the full speed of the bus
  int slots = 4;
};

/// Copies from and to ordinary memory of the host, through a ring of pinned slots: the GPU cannot
/// read ordinary memory by itself, and the driver's own way stops the thread. While the GPU copies
/// one slot the host fills or empties the next. Thread-safe.
class StagingRing {
 public:
  explicit StagingRing(const Device& device, StagingOptions options = {});
  StagingRing(const StagingRing&) = delete;
  StagingRing& operator=(const StagingRing&) = delete;
  ~StagingRing();

  /// Returns when all of `from` is read; the device may still copy.
  void upload(const Stream& stream, void* device_memory, const void* from, size_t bytes);
  /// Returns when all of `to` is written, after all that was enqueued on `stream` before. Throws
  /// what went wrong there.
  void download(const Stream& stream, void* to, const void* device_memory, size_t bytes);

 private:
  struct Slot {
    explicit Slot(const Device& device, size_t bytes) : memory(device, bytes), done(device) {}

    PinnedBuffer memory;
    Event done;  // the last copy that uses it
  };

  /// The slot used longest ago, when the device is done with it, or a new one rather than waiting.
  /// The `busy` slots used last are not to be touched; they are not all.
  Slot& next_slot(size_t busy);

  const Device& device_;
  StagingOptions options_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Slot>> slots_;  // a ring in the order of use
  size_t next_ = 0;                           // the one used longest ago
};

}  // namespace wick::runtime::cuda
