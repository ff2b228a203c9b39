#pragma once

// Tensor memory that shows who reads or writes where he should not.

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <new>

#include <sys/mman.h>
#include <unistd.h>

#include "wick/runtime/memory_manager.h"

namespace wick {

/// Each block lies against a page that cannot be touched, in turns behind and in front of it, is
/// full of NaN, and what is left of its last line is looked at when it is freed.
class GuardedMemoryManager final : public runtime::MemoryManager {
 public:
  void* allocate(size_t bytes, const runtime::AllocationTag& /*tag*/) override {
    const size_t lines = (bytes + kLine - 1) / kLine * kLine;
    const size_t pages = (lines + page_ - 1) / page_ * page_;
    void* all = mmap(nullptr, pages + 2 * page_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (all == MAP_FAILED) throw std::bad_alloc();
    char* first = static_cast<char*>(all) + page_;
    if (mprotect(first, pages, PROT_READ | PROT_WRITE) != 0) throw std::bad_alloc();
    std::memset(first, kFill, pages);
    const std::lock_guard lock(mutex_);
    char* block = ++stats_.allocations % 2 == 0 ? first : first + pages - lines;
    blocks_[block] = {all, pages + 2 * page_, bytes, lines};
    return block;
  }

  void free(void* block) noexcept override {
    const std::lock_guard lock(mutex_);
    const auto found = blocks_.find(static_cast<char*>(block));
    const auto [all, mapped, bytes, lines] = found->second;
    for (size_t i = bytes; i < lines; ++i) {
      if (found->first[i] == static_cast<char>(kFill)) continue;
      std::fprintf(stderr, "byte %zu of a block of %zu was written\n", i, bytes);
      std::abort();
    }
    munmap(all, mapped);
    blocks_.erase(found);
  }

  [[nodiscard]] runtime::MemoryStats stats() const override { return stats_; }

  void release_cached() noexcept override {}

 private:
  struct Block {
    void* all;
    size_t mapped;
    size_t bytes;
    size_t lines;
  };

  static constexpr size_t kLine = 64;
  static constexpr int kFill = 0xFF;
  size_t page_ = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  std::mutex mutex_;
  std::map<char*, Block> blocks_;
  runtime::MemoryStats stats_;
};

/// While it lives, new tensors have such memory.
class GuardedMemoryScope {
 public:
  GuardedMemoryScope() = default;
  GuardedMemoryScope(const GuardedMemoryScope&) = delete;
  GuardedMemoryScope& operator=(const GuardedMemoryScope&) = delete;

  ~GuardedMemoryScope() { runtime::set_memory_manager(previous_); }

 private:
  std::shared_ptr<runtime::MemoryManager> previous_ =
      runtime::set_memory_manager(std::make_shared<GuardedMemoryManager>());
};

}  // namespace wick
