#pragma once

// Tensor memory that shows who reads or writes where he should not.

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

#include "support/guarded_pages.h"

#include "wick/runtime/memory_manager.h"

namespace wick {

/// Each block lies against a page that cannot be touched, in turns behind and in front of it, is
/// full of NaN, and what is left of its last line is looked at when it is freed.
class GuardedMemoryManager final : public runtime::MemoryManager {
 public:
  void* allocate(size_t bytes, const runtime::AllocationTag& /*tag*/) override {
    const size_t lines = (bytes + kLine - 1) / kLine * kLine;
    auto pages = std::make_unique<GuardedPages>(lines);
    const std::lock_guard lock(mutex_);
    void* block = ++stats_.allocations % 2 == 0 ? pages->head() : pages->tail(lines);
    std::memset(block, kFill, lines);
    blocks_[block] = {std::move(pages), bytes, lines};
    return block;
  }

  void free(void* block) noexcept override {
    const std::lock_guard lock(mutex_);
    const auto found = blocks_.find(block);
    for (size_t i = found->second.bytes; i < found->second.lines; ++i) {
      if (static_cast<const unsigned char*>(block)[i] == kFill) continue;
      std::fprintf(stderr, "byte %zu of a block of %zu was written\n", i, found->second.bytes);
      std::abort();
    }
    blocks_.erase(found);
  }

  [[nodiscard]] runtime::MemoryStats stats() const override {
    const std::lock_guard lock(mutex_);
    return stats_;
  }

  void release_cached() noexcept override {}

 private:
  struct Block {
    std::unique_ptr<GuardedPages> pages;
    size_t bytes = 0;
    size_t lines = 0;  // bytes of them
  };

  static constexpr size_t kLine = 64;
  static constexpr unsigned char kFill = 0xFF;
  mutable std::mutex mutex_;
  std::map<void*, Block> blocks_;
  runtime::MemoryStats stats_;  // only how many there were
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
