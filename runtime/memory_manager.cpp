#include "wick/runtime/memory_manager.h"

#include <mutex>
#include <utility>

namespace wick::runtime {
namespace {

struct Installed {
  std::mutex mutex;
  std::shared_ptr<MemoryManager> manager = make_caching_memory_manager();
};

/// Never destroyed: tensors in static storage may allocate while the process ends.
Installed& installed() {
  static auto& instance = *new Installed;  // NOLINT(cppcoreguidelines-owning-memory)
  return instance;
}

}  // namespace

std::shared_ptr<MemoryManager> memory_manager() {
  Installed& state = installed();
  const std::lock_guard lock(state.mutex);
  return state.manager;
}

std::shared_ptr<MemoryManager> set_memory_manager(std::shared_ptr<MemoryManager> manager) {
  Installed& state = installed();
  const std::lock_guard lock(state.mutex);
  return std::exchange(state.manager, std::move(manager));
}

}  // namespace wick::runtime
