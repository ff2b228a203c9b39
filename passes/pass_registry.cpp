#include "wick/passes/pass_registry.h"

#include <algorithm>
#include <mutex>
#include <stdexcept>

#include <fmt/format.h>

#include "wick/passes/built_in_passes.h"

namespace wick::passes {

PassRegistry& PassRegistry::instance() {
  static auto* const registry = [] {  // never destroyed: programs compile at exit
    auto* fresh = new PassRegistry;   // NOLINT(cppcoreguidelines-owning-memory)
    for (PassInfo& info : built_in_passes())
      fresh->add(std::move(info));
    return fresh;
  }();
  return *registry;
}

void PassRegistry::add(PassInfo info) {
  const std::unique_lock lock(mutex_);
  if (find_locked(info.name) != nullptr) {
    throw std::invalid_argument(fmt::format("a pass named '{}' is already registered", info.name));
  }
  const auto place = std::ranges::lower_bound(
      passes_, info.name, {}, [](const auto& pass) -> const std::string& { return pass->name; });
  passes_.insert(place, std::make_unique<PassInfo>(std::move(info)));
}

const PassInfo* PassRegistry::find(std::string_view name) const {
  const std::shared_lock lock(mutex_);
  return find_locked(name);
}

const PassInfo* PassRegistry::find_locked(std::string_view name) const {
  const auto place = std::ranges::lower_bound(
      passes_, name, {}, [](const auto& pass) -> std::string_view { return pass->name; });
  return place != passes_.end() && (*place)->name == name ? place->get() : nullptr;
}

std::vector<const PassInfo*> PassRegistry::all() const {
  const std::shared_lock lock(mutex_);
  std::vector<const PassInfo*> infos;
  infos.reserve(passes_.size());
  for (const auto& pass : passes_) {
    infos.push_back(pass.get());
  }
  return infos;
}

}  // namespace wick::passes
