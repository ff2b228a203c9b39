#pragma once

// Memory between pages that cannot be touched: a kernel that reads or writes outside dies.

#include <cstddef>
#include <new>

#include <sys/mman.h>
#include <unistd.h>

namespace wick {

/// Memory whose ends lie against pages that cannot be touched: `head` starts right after one, and
/// `tail(n)` ends right before the other.
class GuardedPages {
 public:
  /// As many pages as hold so many bytes. Throws std::bad_alloc.
  explicit GuardedPages(size_t bytes = size_t{1} << 18U)
      : bytes_((bytes + page_ - 1) / page_ * page_) {
    void* all = mmap(
        nullptr, bytes_ + 2 * page_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (all == MAP_FAILED) throw std::bad_alloc();
    base_ = static_cast<char*>(all);
    if (mprotect(head(), bytes_, PROT_READ | PROT_WRITE) != 0) throw std::bad_alloc();
  }

  GuardedPages(const GuardedPages&) = delete;
  GuardedPages& operator=(const GuardedPages&) = delete;

  ~GuardedPages() { munmap(base_, bytes_ + 2 * page_); }

  [[nodiscard]] void* head() const { return base_ + page_; }

  [[nodiscard]] void* tail(size_t bytes) const { return base_ + page_ + bytes_ - bytes; }

 private:
  size_t page_ = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  size_t bytes_;
  char* base_ = nullptr;
};

}  // namespace wick
