#pragma once

// Host memory that the GPU copies from and to by itself.

#include <cstddef>

#include "wick/runtime/cuda/device.h"

namespace wick::runtime::cuda {

/// Page-locked memory of the host. Slow to get (milliseconds for some MiB): meant to be kept.
class PinnedBuffer {
 public:
  PinnedBuffer(const Device& device, size_t bytes);
  PinnedBuffer(const PinnedBuffer&) = delete;
  PinnedBuffer& operator=(const PinnedBuffer&) = delete;
  ~PinnedBuffer();

  [[nodiscard]] std::byte* data() const { return data_; }

  [[nodiscard]] size_t size() const { return size_; }

 private:
  const Device& device_;
  std::byte* data_ = nullptr;
  size_t size_ = 0;
};

}  // namespace wick::runtime::cuda
