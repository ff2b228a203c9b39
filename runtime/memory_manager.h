#pragma once

// Where tensor memory comes from; replaceable at run time.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "wick/ir/location.h"

namespace wick::runtime {

/// A tenant of an arena: a value, or the scratch of a step.
struct ArenaItem {
  std::string_view op;
  Location where;
  size_t offset = 0;
  size_t bytes = 0;
  /// Steps of the plan during which the bytes are taken, both included.
  int first_step = 0;
  int last_step = 0;
  bool is_scratch = false;
};

/// Who owns an allocation. Texts and `where.file` live as long as the process; `contents` is there
/// during the call of `allocate` alone.
struct AllocationTag {
  /// "result": an op's value that leaves its program. "leaf": a tensor made from the program's
  /// data. "constant": a literal of a plan. "argument copy": an operand that a step overwrites
  /// although its owner may still read it. "arena": the temporaries of one run of a plan.
  /// "scratch": working memory of a library call. "data": a data set's rows. "copy": of a tensor,
  /// on another device. "host copy": the elements of a device for the host to read. "upload": what
  /// a run on a device takes from the host.
  std::string_view purpose;
  /// The op that makes the value, needs the copy or works in the scratch, and its line in the
  /// user's program; of an arena, that of its largest item. A plan that many places of a program
  /// share names the place that compiled it.
  std::string_view op = {};
  Location where = {};
  /// Of an arena: who lives in it, by offset. Items whose steps are disjoint may share bytes. So
  /// do, during one step, an operand that is read for the last time and the result that takes its
  /// place.
  std::span<const ArenaItem> contents = {};
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
