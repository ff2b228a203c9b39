#pragma once

// Memory between pages that cannot be touched: a kernel that reads or writes outside dies.

#include <cstddef>

#include <sys/mman.h>
#include <unistd.h>

namespace wick {

/// Memory whose ends lie against pages that cannot be touched: `head` starts right after one, and
/// `tail(n)` ends right before the other.
class GuardedPages {
 public:
  GuardedPages() {
    void* all = mmap(
        nullptr, kBytes + 2 * page_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    base_ = static_cast<char*>(all);
    if (mprotect(base_ + page_, kBytes, PROT_READ | PROT_WRITE) != 0) base_ = nullptr;
  }

  GuardedPages(const GuardedPages&) = delete;
  GuardedPages& operator=(const GuardedPages&) = delete;

  ~GuardedPages() { munmap(base_, kBytes + 2 * page_); }

  [[nodiscard]] void* head() const { return base_ + page_; }

  [[nodiscard]] void* tail(size_t bytes) const { return base_ + page_ + kBytes - bytes; }

 private:
  static constexpr size_t kBytes = 1 << 18;
  size_t page_ = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  char* base_ = nullptr;
};

}  // namespace wick
