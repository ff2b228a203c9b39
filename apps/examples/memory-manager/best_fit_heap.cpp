#include "best_fit_heap.h"

#include <algorithm>
#include <iterator>
#include <new>

namespace {

constexpr size_t kAlignment = 64;
constexpr size_t kSlabBytes = size_t{32} << 20U;

size_t rounded(size_t bytes) {
  return (std::max<size_t>(bytes, 1) + kAlignment - 1) / kAlignment * kAlignment;
}

}  // namespace

BestFitHeap::~BestFitHeap() {
  for (const auto& [slab, bytes] : slabs_)
    ::operator delete(slab, std::align_val_t{kAlignment});
}

void* BestFitHeap::allocate(size_t bytes) {
  bytes = rounded(bytes);
  auto fit = free_.lower_bound({bytes, nullptr});
  if (fit == free_.end()) {
    add_slab(std::max(bytes, kSlabBytes));
    fit = free_.lower_bound({bytes, nullptr});
  }
  const auto block = blocks_.find(fit->second);
  unlist(block);
  if (const size_t rest = block->second.bytes - bytes; rest > 0) {
    block->second.bytes = bytes;
    list(blocks_.emplace(block->first + bytes, Block{rest, block->second.slab, true}).first);
  }
  block->second.is_free = false;
  return block->first;
}

void BestFitHeap::free(void* block) {
  auto here = blocks_.find(static_cast<std::byte*>(block));
  merge_with_next(here);
  if (here != blocks_.begin()) {
    const auto before = std::prev(here);
    if (before->second.is_free && before->second.slab == here->second.slab) {
      unlist(before);
      before->second.bytes += here->second.bytes;
      blocks_.erase(here);
      here = before;
    }
  }
  list(here);
}

void BestFitHeap::release_unused_slabs() {
  for (auto slab = slabs_.begin(); slab != slabs_.end();) {
    const auto first = blocks_.find(slab->first);
    if (!first->second.is_free || first->second.bytes != slab->second) {
      ++slab;
      continue;
    }
    unlist(first);
    blocks_.erase(first);
    reserved_ -= slab->second;
    ::operator delete(slab->first, std::align_val_t{kAlignment});
    slab = slabs_.erase(slab);
  }
}

void BestFitHeap::add_slab(size_t bytes) {
  auto* const slab = static_cast<std::byte*>(::operator new(bytes, std::align_val_t{kAlignment}));
  slabs_.emplace(slab, bytes);
  reserved_ += bytes;
  list(blocks_.emplace(slab, Block{bytes, slab, true}).first);
}

void BestFitHeap::list(Blocks::iterator block) {
  block->second.is_free = true;
  free_.emplace(block->second.bytes, block->first);
  free_bytes_ += block->second.bytes;
}

void BestFitHeap::unlist(Blocks::iterator block) {
  free_.erase({block->second.bytes, block->first});
  free_bytes_ -= block->second.bytes;
}

void BestFitHeap::merge_with_next(Blocks::iterator block) {
  const auto next = std::next(block);
  if (next == blocks_.end() || !next->second.is_free || next->second.slab != block->second.slab) {
    return;
  }
  unlist(next);
  block->second.bytes += next->second.bytes;
  blocks_.erase(next);
}
