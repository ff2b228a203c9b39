#include "wick/passes/pass_registry.h"

#include <algorithm>
#include <stdexcept>

#include <fmt/format.h>

#include "wick/passes/built_in_passes.h"

namespace wick::passes {

PassRegistry& PassRegistry::instance() {
  static PassRegistry registry = [] {
    PassRegistry fresh;
    for (PassInfo& info : built_in_passes()) {
      fresh.add(std::move(info));
    }
    return fresh;
  }();
  return registry;
}

void PassRegistry::add(PassInfo info) {
  if (find(info.name) != nullptr) {
    throw std::invalid_argument(fmt::format("a pass named '{}' is already registered", info.name));
  }
  const auto place = std::ranges::lower_bound(
      passes_, info.name, {}, [](const auto& pass) -> const std::string& { return pass->name; });
  passes_.insert(place, std::make_unique<PassInfo>(std::move(info)));
}

const PassInfo* PassRegistry::find(std::string_view name) const {
  const auto place = std::ranges::lower_bound(
      passes_, name, {}, [](const auto& pass) -> std::string_view { return pass->name; });
  return place != passes_.end() && (*place)->name == name ? place->get() : nullptr;
}

std::vector<const PassInfo*> PassRegistry::all() const {
  std::vector<const PassInfo*> infos;
  infos.reserve(passes_.size());
  for (const auto& pass : passes_) {
    infos.push_back(pass.get());
  }
  return infos;
}

}  // namespace wick::passes
