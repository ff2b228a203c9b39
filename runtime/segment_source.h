#pragma once

// Where a caching memory manager takes the segments from that it cuts into blocks.

#include <cstddef>
#include <memory>
#include <new>
#include <string>
#include <utility>

#include "wick/runtime/memory_manager.h"

namespace wick::runtime {

/// What SegmentSource::fail throws: the text says how much was asked for.
class OutOfMemory final : public std::bad_alloc {
 public:
  // Shared: copying an exception must not throw.
  explicit OutOfMemory(std::string text)
      : text_(std::make_shared<const std::string>(std::move(text))) {}

  [[nodiscard]] const char* what() const noexcept override { return text_->c_str(); }

 private:
  std::shared_ptr<const std::string> text_;
};

/// Called under the manager's lock: by one thread at a time.
class SegmentSource {
 public:
  SegmentSource() = default;
  SegmentSource(const SegmentSource&) = delete;
  SegmentSource& operator=(const SegmentSource&) = delete;
  virtual ~SegmentSource() = default;

  /// Memory at a boundary that is a multiple of every block's alignment; null when there is none
  /// left. The manager may have released its cache and ask again.
  virtual std::byte* map(size_t bytes) = 0;
  /// Gives a segment back, whole. No block of it is in use.
  virtual void unmap(std::byte* base, size_t bytes) noexcept = 0;
  /// Throws OutOfMemory: `bytes` were asked for and refused after the cache was released.
  [[noreturn]] virtual void fail(size_t bytes, const MemoryStats& stats) = 0;
  /// Of every block; a power of two.
  [[nodiscard]] virtual size_t alignment() const = 0;
};

/// The caching policy of Wick over any kind of memory; the manager never touches what is in it.
std::shared_ptr<MemoryManager> make_caching_memory_manager(std::unique_ptr<SegmentSource> source);

}  // namespace wick::runtime
