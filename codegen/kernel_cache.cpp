#include <chrono>
#include <condition_variable>
#include <mutex>
#include <stdexcept>
#include <unordered_map>
#include <utility>

#include "wick/codegen/disk_cache.h"
#include "wick/codegen/kernel_compiler.h"
#include "wick/ir/profile.h"

namespace wick::codegen {

namespace {

using Clock = std::chrono::steady_clock;

double milliseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

/// A kernel with where it came from.
struct Made {
  KernelFunction function = nullptr;
  KernelOrigin origin;
};

}  // namespace

struct KernelCache::State {
  /// One kernel. Two kernels whose hashes collide are told apart by their text.
  struct Entry {
    std::string text;
    KernelFunction function = nullptr;
    bool in_progress = false;  // another thread makes it
  };

  mutable std::mutex mutex;
  std::condition_variable made;
  std::unordered_map<Hash128, std::vector<std::unique_ptr<Entry>>, HashOfHash128> entries;
  std::string directory = default_cache_directory();
  KernelCacheStats stats;

  /// The entry of this kernel; made if it is new.
  Entry& entry_of(const Hash128& key, const std::string& text) {
    auto& chain = entries[key];
    for (const auto& entry : chain) {
      if (entry->text == text) return *entry;
    }
    chain.push_back(std::make_unique<Entry>(Entry{.text = text}));
    return *chain.back();
  }

  Made find_or_compile(const Kernel& kernel,
                       const Hash128& key,
                       const std::string& text,
                       profile::Slice& slice);
};

/// From disk, else compiled and published. Runs without the lock.
Made KernelCache::State::find_or_compile(const Kernel& kernel,
                                         const Hash128& key,
                                         const std::string& text,
                                         profile::Slice& slice) {
  const Clock::time_point begin = Clock::now();
  KernelCompiler& compiler = llvm_compiler();
  const DiskCache disk = [&] {
    const std::lock_guard lock(mutex);
    return DiskCache(directory, compiler.target_id());
  }();
  const std::string symbol = "k_" + to_string(key);
  DiskCache::Found found = disk.find(key, text);
  if (found.object) {
    try {
      KernelFunction function = compiler.load(*found.object, symbol);
      slice.arg("from", "disk");
      const std::lock_guard lock(mutex);
      ++stats.disk_hits;
      return {function, {KernelOrigin::Level::disk, milliseconds_since(begin)}};
    } catch (const std::runtime_error&) {
      found.rejected = true;  // intact but useless; compiled again below
    }
  }
  slice.arg("from", "compiler");
  const Clock::time_point start = Clock::now();
  const std::vector<std::byte> object = compiler.compile(kernel, symbol);
  KernelFunction function = compiler.load(object, symbol);
  const double elapsed = milliseconds_since(start);
  disk.store(key, text, object);
  const std::lock_guard lock(mutex);
  ++stats.compiled;
  stats.compile_ms += elapsed;
  if (found.rejected) ++stats.rejected_entries;
  return {function, {KernelOrigin::Level::compiled, elapsed}};
}

KernelCache::KernelCache() : state_(std::make_unique<State>()) {}

KernelCache::~KernelCache() = default;

KernelCache& KernelCache::instance() {
  static auto* cache = new KernelCache;  // NOLINT: used until the very end of the process
  return *cache;
}

KernelFunction KernelCache::get(const Kernel& kernel, KernelOrigin* origin) {
  profile::Slice slice("kernel", kernel.name);
  const std::string text = to_string(kernel, false);
  const Hash128 key = hash_bytes(text);
  std::unique_lock lock(state_->mutex);
  for (;;) {
    State::Entry& entry = state_->entry_of(key, text);
    if (entry.function != nullptr) {
      ++state_->stats.memory_hits;
      slice.arg("from", "memory");
      if (origin != nullptr) *origin = {.level = KernelOrigin::Level::memory};
      return entry.function;
    }
    if (!entry.in_progress) {
      entry.in_progress = true;
      break;
    }
    // Looked up again afterwards: a reset may have dropped the entry.
    state_->made.wait(lock);
  }
  lock.unlock();
  const auto finish = [&](KernelFunction function) {
    lock.lock();
    State::Entry& entry = state_->entry_of(key, text);
    entry.function = function;
    entry.in_progress = false;
    state_->made.notify_all();
  };
  try {
    const Made made = state_->find_or_compile(kernel, key, text, slice);
    finish(made.function);
    if (origin != nullptr) *origin = made.origin;
    return made.function;
  } catch (...) {
    finish(nullptr);  // the next one who asks tries again
    throw;
  }
}

KernelCacheStats KernelCache::stats() const {
  const std::lock_guard lock(state_->mutex);
  return state_->stats;
}

void KernelCache::reset(std::string disk_directory) {
  const std::lock_guard lock(state_->mutex);
  state_->entries.clear();
  state_->directory = std::move(disk_directory);
  state_->stats = {};
}

}  // namespace wick::codegen
