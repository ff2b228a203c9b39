#include "wick/runtime/cuda/pinned_memory.h"

namespace wick::runtime::cuda {

PinnedBuffer::PinnedBuffer(const Device& device, size_t bytes) : device_(device), size_(bytes) {
  void* data = nullptr;
  device.call("allocating pinned memory",
              device.api().cuMemHostAlloc,
              &data,
              bytes,
              static_cast<unsigned>(CU_MEMHOSTALLOC_PORTABLE));
  data_ = static_cast<std::byte*>(data);
}

PinnedBuffer::~PinnedBuffer() {
  device_.call_quietly(device_.api().cuMemFreeHost, static_cast<void*>(data_));
}

}  // namespace wick::runtime::cuda
