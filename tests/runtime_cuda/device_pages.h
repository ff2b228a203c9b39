#pragma once

// Memory of a device that is not there: pages of the host that nobody may touch between the times
// when the device works, so that code of the host which reads an address of a device dies here too.

#include <algorithm>
#include <cstddef>
#include <utility>

#include <sys/mman.h>

namespace wick::runtime::cuda {

/// Zeros at first, and closed.
class DevicePages {
 public:
  explicit DevicePages(size_t bytes)
      : mapped_(std::max<size_t>(bytes, 1)),
        base_(mmap(nullptr, mapped_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)) {
    madvise(base_, mapped_, MADV_HUGEPAGE);  // few are opened and closed sooner
  }

  DevicePages(DevicePages&& other) noexcept
      : mapped_(other.mapped_),
        base_(std::exchange(other.base_, nullptr)) {}

  DevicePages(const DevicePages&) = delete;
  DevicePages& operator=(const DevicePages&) = delete;

  ~DevicePages() {
    if (base_ != nullptr) munmap(base_, mapped_);
  }

  [[nodiscard]] std::byte* data() const { return static_cast<std::byte*>(base_); }

  void open() const { mprotect(base_, mapped_, PROT_READ | PROT_WRITE); }

  void close() const { mprotect(base_, mapped_, PROT_NONE); }

 private:
  size_t mapped_;
  void* base_;
};

}  // namespace wick::runtime::cuda
