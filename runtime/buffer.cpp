#include "wick/runtime/buffer.h"

#include <utility>

namespace wick::runtime {

Ref<Buffer> Buffer::allocate(size_t bytes, const AllocationTag& tag) {
  std::shared_ptr<MemoryManager> manager = memory_manager();
  void* data = manager->allocate(bytes, tag);
  return make_ref<Buffer>(data, bytes, std::move(manager));
}

Ref<Buffer> Buffer::wrap(void* data, size_t bytes, std::function<void()> deleter, bool writable) {
  auto buffer = make_ref<Buffer>(data, bytes, nullptr);
  buffer->deleter_ = std::move(deleter);
  buffer->writable_ = writable;
  return buffer;
}

Buffer::Buffer(void* data, size_t bytes, std::shared_ptr<MemoryManager> manager)
    : data_(data),
      size_(bytes),
      manager_(std::move(manager)) {}

Buffer::~Buffer() {
  if (manager_ != nullptr) manager_->free(data_);
  if (deleter_) deleter_();
}

}  // namespace wick::runtime
