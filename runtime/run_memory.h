#pragma once

// The memory of one run of a plan: where each place is.

#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "wick/runtime/plan.h"

namespace wick::runtime {

/// Memory that a run works in, the host's or a device's.
class MemorySpace {
 public:
  MemorySpace() = default;
  MemorySpace(const MemorySpace&) = delete;
  MemorySpace& operator=(const MemorySpace&) = delete;
  virtual ~MemorySpace() = default;

  [[nodiscard]] virtual std::shared_ptr<MemoryManager> manager() const = 0;
  [[nodiscard]] virtual Ref<Buffer> allocate(size_t bytes, const AllocationTag& tag) const = 0;
  /// From one place of this memory to another; a device's copies in the order of its work.
  virtual void copy(void* to, const void* from, size_t bytes) const = 0;
};

const MemorySpace& host_space();

/// A block of a memory manager for the length of a run.
class RunBlock {
 public:
  RunBlock(std::shared_ptr<MemoryManager> manager, size_t bytes, const AllocationTag& tag);
  RunBlock(const RunBlock&) = delete;
  RunBlock& operator=(const RunBlock&) = delete;
  ~RunBlock();

  /// Null when it has no bytes.
  [[nodiscard]] std::byte* data() const { return static_cast<std::byte*>(data_); }

 private:
  std::shared_ptr<MemoryManager> manager_;  // shared: the block goes back to the one that made it
  void* data_ = nullptr;
};

class RunMemory {
 public:
  /// Allocates arena and results, and copies arguments that steps overwrite though their owners may
  /// still read them. Arguments and constants are in `space`; all outlive this.
  RunMemory(const Plan& plan,
            std::span<const Ref<Buffer>> constants,
            std::span<const Argument> arguments,
            const MemorySpace& space);

  [[nodiscard]] std::byte* arena() const { return arena_.data(); }

  [[nodiscard]] void* at(const Place& place) const {
    const auto index = static_cast<size_t>(place.index);
    switch (place.kind) {
      case Place::Kind::arena:
        return arena_.data() + place.offset;
      case Place::Kind::result:
        return results_[index]->data();
      case Place::Kind::param:
        return params_[index];
      case Place::Kind::constant:
        return constants_[index]->data();
    }
    return nullptr;
  }

  [[nodiscard]] void* at(int value) const {
    return at(plan_.values[static_cast<size_t>(value)].place);
  }

  /// All that differs between runs: addresses of the arena, the parameters and the fresh results.
  [[nodiscard]] std::vector<const void*> addresses() const;

  std::vector<Ref<Buffer>> take_results();

 private:
  void own(size_t index, const AllocationTag& tag);
  [[nodiscard]] const Ref<Buffer>& buffer_of(size_t index) const;
  [[nodiscard]] Ref<Buffer> make_result(size_t k) const;
  [[nodiscard]] Ref<Buffer> param_as_result(size_t k, size_t index) const;

  const Plan& plan_;
  std::span<const Ref<Buffer>> constants_;
  std::span<const Argument> arguments_;
  const MemorySpace& space_;
  RunBlock arena_;
  std::vector<void*> params_;
  std::vector<std::pair<size_t, Ref<Buffer>>> copies_;  // of parameters that are not ours to write
  std::vector<Ref<Buffer>> results_;
};

}  // namespace wick::runtime
