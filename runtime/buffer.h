#pragma once

// A block of memory that holds one tensor's elements, row-major and dense.

#include <cstddef>
#include <functional>
#include <memory>

#include "wick/ir/ref.h"
#include "wick/runtime/memory_manager.h"

namespace wick::runtime {

class Buffer final : public RefCounted<Buffer> {
 public:
  /// From the memory manager; contents undefined.
  static Ref<Buffer> allocate(size_t bytes, const AllocationTag& tag);
  /// Foreign memory; `deleter` runs when the last reference goes. `writable` false keeps the
  /// runtime from reusing it in place.
  static Ref<Buffer> wrap(void* data, size_t bytes, std::function<void()> deleter, bool writable);

  Buffer(void* data, size_t bytes, std::shared_ptr<MemoryManager> manager);
  ~Buffer();

  [[nodiscard]] void* data() const { return data_; }

  [[nodiscard]] size_t size() const { return size_; }

  [[nodiscard]] bool is_writable() const { return writable_; }

 private:
  void* data_;
  size_t size_;
  std::shared_ptr<MemoryManager> manager_;  // shared: frees the block it made even after a swap
  std::function<void()> deleter_;
  bool writable_ = true;
};

}  // namespace wick::runtime
