// The caching policy, over memory of any kind.
//
// Small requests round up to a size class, four classes an octave, and come from slabs of equal
// blocks. Large ones come from segments, by best fit, and merge with their free neighbours when
// freed. From a huge page on a request that nothing free fits maps a segment of its own, as long
// as it needs: rounded up to whole huge pages, the weights of a network can take half as much
// memory again. Smaller ones share segments. A large block is split only where the rest is worth
// keeping, and a very large one only serves requests near its size: otherwise a small tensor pins
// it and the next big one has to ask for fresh memory, which costs more than the work on it: page
// faults on the host, a wait for all work on a GPU.

#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <mutex>
#include <set>
#include <unordered_map>
#include <vector>

#include "wick/ir/check.h"
#include "wick/runtime/segment_source.h"

namespace wick::runtime {
namespace {

constexpr size_t kHugePage = size_t{2} << 20U;
constexpr size_t kLargestSmall = size_t{64} << 10U;
constexpr size_t kSmallestSlab = size_t{64} << 10U;
constexpr size_t kSplitRest = size_t{64} << 10U;  // a smaller rest stays with its block
constexpr size_t kPage = 4096;
constexpr size_t kSharedSegment = 2 * kHugePage;  // mapped for requests below a huge page
constexpr size_t kNoSplitAbove = size_t{256} << 20U;
constexpr size_t kLargestRequest = size_t{1} << 46U;

constexpr size_t round_up(size_t bytes, size_t unit) {
  return (bytes + unit - 1) / unit * unit;
}

/// Multiples of the alignment up to four of them, then four steps an octave.
size_t class_size(size_t bytes, size_t alignment) {
  if (bytes <= 4 * alignment) return round_up(std::max<size_t>(bytes, 1), alignment);
  return round_up(bytes, std::bit_floor(bytes - 1) / 4);
}

struct Segment {
  std::byte* base = nullptr;
  size_t bytes = 0;
};

/// By size, then address: best fit.
using FreeBlocks = std::set<std::pair<size_t, std::byte*>>;

/// Part of a segment, in use or free. Neighbours by address are found in the map of blocks.
struct Block {
  std::byte* base = nullptr;
  size_t bytes = 0;
  std::byte* segment = nullptr;
  FreeBlocks* pool = nullptr;  // lists it while it is free
  bool is_free = true;
};

struct Slab {
  std::byte* base = nullptr;
  size_t block_bytes = 0;
  uint32_t num_blocks = 0;
  std::vector<uint32_t> free_blocks;  // the last one is handed out next

  [[nodiscard]] bool is_unused() const { return free_blocks.size() == num_blocks; }
};

struct LiveBlock {
  size_t requested = 0;
  Slab* slab = nullptr;  // null: a large block
};

/// Segments and the blocks they are cut in. Not thread-safe.
class LargeBlocks {
 public:
  explicit LargeBlocks(SegmentSource& source) : source_(source) {}

  LargeBlocks(const LargeBlocks&) = delete;
  LargeBlocks& operator=(const LargeBlocks&) = delete;

  ~LargeBlocks() {
    for (const auto& [base, segment] : segments_)
      source_.unmap(base, segment.bytes);
  }

  /// Null when neither the cache nor the source has it.
  std::byte* allocate(size_t bytes) {
    bytes = round_up(bytes, kPage);
    FreeBlocks& pool = bytes < kHugePage ? shared_ : whole_;
    auto found = pool.lower_bound({bytes, nullptr});
    const bool wasteful = found != pool.end() && found->first > kNoSplitAbove &&
                          found->first - bytes > found->first / 4;
    if (found == pool.end() || wasteful) {
      std::byte* fresh = add_segment(bytes < kHugePage ? kSharedSegment : bytes, pool);
      if (fresh == nullptr) return nullptr;
      found = pool.find({blocks_.at(fresh).bytes, fresh});
    }
    Block& block = blocks_.at(found->second);
    pool.erase(found);
    block.is_free = false;
    if (block.bytes <= kNoSplitAbove && block.bytes - bytes >= kSplitRest) split(block, bytes);
    return block.base;
  }

  void free(std::byte* base) {
    auto here = blocks_.find(base);
    here->second.is_free = true;
    here = merge_with_next(here);
    if (here != blocks_.begin()) {
      const auto before = std::prev(here);
      if (before->second.is_free && before->second.segment == here->second.segment) {
        before->second.pool->erase({before->second.bytes, before->second.base});
        here = merge_with_next(before, /*next_is_listed=*/false);
      }
    }
    here->second.pool->insert({here->second.bytes, here->second.base});
  }

  void release_unused_segments() {
    for (auto it = segments_.begin(); it != segments_.end();) {
      const Segment segment = it->second;
      const Block& block = blocks_.at(segment.base);
      if (!block.is_free || block.bytes != segment.bytes) {
        ++it;
        continue;
      }
      block.pool->erase({block.bytes, block.base});
      blocks_.erase(segment.base);
      source_.unmap(segment.base, segment.bytes);
      reserved_ -= segment.bytes;
      it = segments_.erase(it);
    }
  }

  [[nodiscard]] size_t reserved() const { return reserved_; }

  [[nodiscard]] int64_t num_maps() const { return num_maps_; }

 private:
  using BlockMap = std::map<std::byte*, Block>;

  std::byte* add_segment(size_t bytes, FreeBlocks& pool) {
    std::byte* base = source_.map(bytes);
    if (base == nullptr) return nullptr;
    ++num_maps_;
    reserved_ += bytes;
    segments_[base] = {base, bytes};
    blocks_[base] = {base, bytes, base, &pool, true};
    pool.insert({bytes, base});
    return base;
  }

  void split(Block& block, size_t bytes) {
    std::byte* rest = block.base + bytes;
    const size_t rest_bytes = block.bytes - bytes;
    blocks_[rest] = {rest, rest_bytes, block.segment, block.pool, true};
    block.pool->insert({rest_bytes, rest});
    block.bytes = bytes;
  }

  BlockMap::iterator merge_with_next(BlockMap::iterator here, bool next_is_listed = true) {
    const auto next = std::next(here);
    if (next == blocks_.end() || !next->second.is_free ||
        next->second.segment != here->second.segment) {
      return here;
    }
    if (next_is_listed) next->second.pool->erase({next->second.bytes, next->second.base});
    here->second.bytes += next->second.bytes;
    blocks_.erase(next);
    return here;
  }

  SegmentSource& source_;
  BlockMap blocks_;
  FreeBlocks shared_;  // in segments for requests below a huge page
  FreeBlocks whole_;   // in the others: small ones there would be in the way of the next large one
  std::map<std::byte*, Segment> segments_;
  size_t reserved_ = 0;
  int64_t num_maps_ = 0;
};

class CachingMemoryManager final : public MemoryManager {
 public:
  explicit CachingMemoryManager(std::unique_ptr<SegmentSource> source)
      : source_(std::move(source)),
        large_(*source_) {}

  void* allocate(size_t bytes, const AllocationTag& /*tag*/) override {
    const std::lock_guard lock(mutex_);
    if (bytes > kLargestRequest) source_->fail(bytes, current_stats());
    LiveBlock live{.requested = bytes};
    std::byte* base = try_allocate(bytes, live);
    if (base == nullptr) {
      release_unused();
      base = try_allocate(bytes, live);
    }
    if (base == nullptr) source_->fail(bytes, current_stats());
    live_.emplace(base, live);
    ++allocations_;
    in_use_ += bytes;
    peak_ = std::max(peak_, in_use_);
    return base;
  }

  void free(void* block) noexcept override {
    if (block == nullptr) return;
    const std::lock_guard lock(mutex_);
    const auto found = live_.find(block);
    check(found != live_.end(), "a freed block was made by this memory manager and is in use");
    const LiveBlock live = found->second;
    live_.erase(found);
    in_use_ -= live.requested;
    if (live.slab == nullptr) {
      large_.free(static_cast<std::byte*>(block));
    } else {
      free_small(*live.slab, static_cast<std::byte*>(block));
    }
  }

  MemoryStats stats() const override {
    const std::lock_guard lock(mutex_);
    return current_stats();
  }

  void release_cached() noexcept override {
    const std::lock_guard lock(mutex_);
    release_unused();
  }

 private:
  struct SizeClass {
    std::vector<std::unique_ptr<Slab>> slabs;
    std::vector<Slab*> with_free;  // the last one serves next
  };

  [[nodiscard]] MemoryStats current_stats() const {
    return {.bytes_in_use = static_cast<int64_t>(in_use_),
            .peak_bytes_in_use = static_cast<int64_t>(peak_),
            .bytes_reserved = static_cast<int64_t>(large_.reserved()),
            .allocations = allocations_,
            .system_allocations = large_.num_maps()};
  }

  std::byte* try_allocate(size_t bytes, LiveBlock& live) {
    if (bytes > kLargestSmall) return large_.allocate(bytes);
    const size_t block_bytes = class_size(bytes, source_->alignment());
    SizeClass& size_class = classes_[block_bytes];
    if (size_class.with_free.empty() && !add_slab(size_class, block_bytes)) return nullptr;
    Slab* slab = size_class.with_free.back();
    const uint32_t number = slab->free_blocks.back();
    slab->free_blocks.pop_back();
    if (slab->free_blocks.empty()) size_class.with_free.pop_back();
    live.slab = slab;
    return slab->base + number * slab->block_bytes;
  }

  bool add_slab(SizeClass& size_class, size_t block_bytes) {
    const size_t bytes = std::max(kSmallestSlab, round_up(16 * block_bytes, kPage));
    std::byte* base = large_.allocate(bytes);
    if (base == nullptr) return false;
    auto slab = std::make_unique<Slab>();
    slab->base = base;
    slab->block_bytes = block_bytes;
    slab->num_blocks = static_cast<uint32_t>(bytes / block_bytes);
    for (uint32_t i = slab->num_blocks; i-- > 0;)
      slab->free_blocks.push_back(i);
    size_class.with_free.push_back(slab.get());
    size_class.slabs.push_back(std::move(slab));
    return true;
  }

  void free_small(Slab& slab, std::byte* block) {
    if (slab.free_blocks.empty()) classes_[slab.block_bytes].with_free.push_back(&slab);
    const auto offset = static_cast<size_t>(block - slab.base);
    slab.free_blocks.push_back(static_cast<uint32_t>(offset / slab.block_bytes));
  }

  void release_unused() {
    for (auto& [bytes, size_class] : classes_) {
      std::erase_if(size_class.with_free, [](const Slab* slab) { return slab->is_unused(); });
      std::erase_if(size_class.slabs, [this](const std::unique_ptr<Slab>& slab) {
        if (!slab->is_unused()) return false;
        large_.free(slab->base);
        return true;
      });
    }
    large_.release_unused_segments();
  }

  mutable std::mutex mutex_;
  std::unique_ptr<SegmentSource> source_;
  LargeBlocks large_;
  std::map<size_t, SizeClass> classes_;
  std::unordered_map<void*, LiveBlock> live_;
  size_t in_use_ = 0;
  size_t peak_ = 0;
  int64_t allocations_ = 0;
};

}  // namespace

std::shared_ptr<MemoryManager> make_caching_memory_manager(std::unique_ptr<SegmentSource> source) {
  return std::make_shared<CachingMemoryManager>(std::move(source));
}

}  // namespace wick::runtime
