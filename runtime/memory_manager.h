#pragma once

// Where tensor memory comes from; replaceable at run time.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "wick/ir/location.h"

namespace wick::runtime {

/// What an allocation is for.
struct AllocationTag {
  std::string_view purpose;  // op name, "arena", "leaf"...
  Location where;
};

struct MemoryStats {
  int64_t bytes_in_use = 0;
  int64_t peak_bytes_in_use = 0;
  int64_t bytes_reserved = 0;  // taken from the system, in use or cached
  int64_t allocations = 0;
  int64_t system_allocations = 0;  // those that had to ask the system
};

/// Implementations are thread-safe. Blocks are aligned to 64 bytes at least.
class MemoryManager {
 public:
  MemoryManager() = default;
  MemoryManager(const MemoryManager&) = delete;
  MemoryManager& operator=(const MemoryManager&) = delete;
  virtual ~MemoryManager() = default;

  /// Throws std::bad_alloc when there is no memory even after releasing the cache.
  virtual void* allocate(size_t bytes, const AllocationTag& tag) = 0;
  virtual void free(void* block) noexcept = 0;
  [[nodiscard]] virtual MemoryStats stats() const = 0;
  /// Gives cached blocks back to the system.
  virtual void release_cached() noexcept = 0;
};

/// The manager of new allocations; a block is always freed by the manager that made it.
std::shared_ptr<MemoryManager> memory_manager();  // shared by all buffers it made
/// Installs another one and returns the previous.
std::shared_ptr<MemoryManager> set_memory_manager(std::shared_ptr<MemoryManager> manager);
/// The default: caching, huge pages for large blocks.
std::shared_ptr<MemoryManager> make_caching_memory_manager();

}  // namespace wick::runtime
