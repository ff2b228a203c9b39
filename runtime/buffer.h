#pragma once

// A block of memory that holds one tensor's elements, row-major and dense.

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>

#include "wick/ir/ref.h"
#include "wick/runtime/device.h"

namespace wick::runtime {

class Buffer final : public RefCounted<Buffer> {
 public:
  /// From the memory manager; contents undefined.
  static Ref<Buffer> allocate(size_t bytes, const AllocationTag& tag);
  /// On a device, from its memory manager.
  static Ref<Buffer> allocate(DeviceMemory& device, size_t bytes, const AllocationTag& tag);
  /// Foreign memory; `deleter` runs when the last reference goes. `writable` false keeps the
  /// runtime from reusing it in place.
  static Ref<Buffer> wrap(void* data, size_t bytes, std::function<void()> deleter, bool writable);
  /// Some bytes of a buffer, which it keeps alive; not writable.
  static Ref<Buffer> part_of(const Ref<Buffer>& whole, size_t begin, size_t bytes);

  Buffer(void* data, size_t bytes, std::shared_ptr<MemoryManager> manager);
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  ~Buffer();

  /// Where the elements are: an address of the device's, if it has one.
  [[nodiscard]] void* data() const { return data_; }

  /// The elements for the host to read. Those of a device are copied at the first call, after all
  /// that was enqueued there, and the copy is kept. Throws Error when something went wrong there.
  [[nodiscard]] const void* host_data() const { return device_ == nullptr ? data_ : downloaded(); }

  /// A device is going to write the elements: a copy of the old ones is of no use.
  void forget_host_copy();

  /// Null: the host's.
  [[nodiscard]] DeviceMemory* device_memory() const { return device_; }

  [[nodiscard]] Device device() const { return device_ == nullptr ? cpu() : device_->where(); }

  [[nodiscard]] size_t size() const { return size_; }

  [[nodiscard]] bool is_writable() const { return writable_; }

 private:
  [[nodiscard]] const void* downloaded() const;

  void* data_;
  size_t size_;
  std::shared_ptr<MemoryManager> manager_;  // shared: frees the block it made even after a swap
  std::function<void()> deleter_;
  bool writable_ = true;
  DeviceMemory* device_ = nullptr;
  mutable std::atomic<Buffer*> host_copy_{nullptr};  // holds one reference
};

/// A buffer with these elements on `device`: this one where it is there already.
Ref<Buffer> copy_to(Device device, const Ref<Buffer>& buffer, const AllocationTag& tag);

}  // namespace wick::runtime
