#include "wick/runtime/buffer.h"

#include <utility>

namespace wick::runtime {

Ref<Buffer> Buffer::allocate(size_t bytes, const AllocationTag& tag) {
  std::shared_ptr<MemoryManager> manager = memory_manager();
  void* data = manager->allocate(bytes, tag);
  return make_ref<Buffer>(data, bytes, std::move(manager));
}

Ref<Buffer> Buffer::allocate(DeviceMemory& device, size_t bytes, const AllocationTag& tag) {
  std::shared_ptr<MemoryManager> manager = device.memory();
  void* data = manager->allocate(bytes, tag);
  auto buffer = make_ref<Buffer>(data, bytes, std::move(manager));
  buffer->device_ = &device;
  return buffer;
}

Ref<Buffer> Buffer::wrap(void* data, size_t bytes, std::function<void()> deleter, bool writable) {
  auto buffer = make_ref<Buffer>(data, bytes, nullptr);
  buffer->deleter_ = std::move(deleter);
  buffer->writable_ = writable;
  return buffer;
}

Ref<Buffer> Buffer::part_of(const Ref<Buffer>& whole, size_t begin, size_t bytes) {
  auto* const data = static_cast<std::byte*>(whole->data()) + begin;
  Ref<Buffer> part = wrap(data, bytes, [whole] {}, /*writable=*/false);
  part->device_ = whole->device_;
  return part;
}

Buffer::Buffer(void* data, size_t bytes, std::shared_ptr<MemoryManager> manager)
    : data_(data),
      size_(bytes),
      manager_(std::move(manager)) {}

Buffer::~Buffer() {
  forget_host_copy();
  if (manager_ != nullptr) manager_->free(data_);
  if (deleter_) deleter_();
}

void Buffer::forget_host_copy() {
  if (host_copy_.load(std::memory_order_relaxed) == nullptr) return;
  Buffer* const copy = host_copy_.exchange(nullptr, std::memory_order_acq_rel);
  if (copy != nullptr && Ref<Buffer>::drop(copy)) delete copy;  // NOLINT: as Ref does
}

const void* Buffer::downloaded() const {
  Buffer* copy = host_copy_.load(std::memory_order_acquire);
  if (copy != nullptr) return copy->data();
  Ref<Buffer> fresh = allocate(size_, {.purpose = "host copy"});
  device_->download(fresh->data(), data_, size_);
  // Another thread may have been faster; its copy is as good.
  if (host_copy_.compare_exchange_strong(copy, fresh.get(), std::memory_order_acq_rel))
    return fresh.leak()->data();
  return copy->data();
}

Ref<Buffer> copy_to(Device device, const Ref<Buffer>& buffer, const AllocationTag& tag) {
  if (buffer->device() == device) return buffer;
  const size_t bytes = buffer->size();
  if (device.is_cpu()) {
    Ref<Buffer> copy = Buffer::allocate(bytes, tag);
    buffer->device_memory()->download(copy->data(), buffer->data(), bytes);
    return copy;
  }
  DeviceMemory& memory = device_memory(device);
  Ref<Buffer> copy = Buffer::allocate(memory, bytes, tag);
  memory.upload(copy->data(), buffer->host_data(), bytes);
  return copy;
}

}  // namespace wick::runtime
