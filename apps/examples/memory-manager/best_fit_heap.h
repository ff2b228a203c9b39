#pragma once

// The allocation strategy, apart from any bookkeeping: best fit over large slabs.

#include <cstddef>
#include <map>
#include <set>
#include <utility>

/// Blocks are cut from slabs of at least 32 MiB: each request takes the smallest free block that
/// holds it and gives back the rest; freed blocks merge with free neighbours. Not thread-safe.
class BestFitHeap {
 public:
  BestFitHeap() = default;
  BestFitHeap(const BestFitHeap&) = delete;
  BestFitHeap& operator=(const BestFitHeap&) = delete;
  ~BestFitHeap();

  /// Aligned to 64 bytes. Throws std::bad_alloc.
  void* allocate(size_t bytes);
  void free(void* block);
  /// Returns slabs without a block in use to the system.
  void release_unused_slabs();

  [[nodiscard]] size_t reserved() const { return reserved_; }

  [[nodiscard]] size_t num_slabs() const { return slabs_.size(); }

  [[nodiscard]] size_t free_bytes() const { return free_bytes_; }

  [[nodiscard]] size_t largest_free() const { return free_.empty() ? 0 : free_.rbegin()->first; }

 private:
  struct Block {
    size_t bytes = 0;
    std::byte* slab = nullptr;
    bool is_free = true;
  };

  using Blocks = std::map<std::byte*, Block>;  // all of them, by address

  void add_slab(size_t bytes);
  void list(Blocks::iterator block);
  void unlist(Blocks::iterator block);
  void merge_with_next(Blocks::iterator block);

  Blocks blocks_;
  std::set<std::pair<size_t, std::byte*>> free_;  // by size: best fit
  std::map<std::byte*, size_t> slabs_;
  size_t reserved_ = 0;
  size_t free_bytes_ = 0;
};
