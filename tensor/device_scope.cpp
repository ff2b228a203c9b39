#include "wick/tensor/device_scope.h"

#include <utility>

#include "wick/passes/default_backend.h"

namespace wick::detail {
namespace {

std::string backend_of(Device device) {
  if (device.is_cpu()) return std::string(default_backend());
  return device.ordinal == 0 ? "cuda" : to_string(device);
}

}  // namespace

std::optional<Device> device_of(std::span<const Ref<Node>> nodes) {
  for (const Ref<Node>& node : nodes) {
    if (!node->is_materialized() && node->device()) return node->device();
  }
  return std::nullopt;
}

DeviceScope::DeviceScope(std::optional<Device> device) {
  if (!device || runtime::device_of_backend(options().backend) == *device) return;
  Options there = options();
  there.backend = backend_of(*device);
  scope_.emplace(std::move(there));
}

}  // namespace wick::detail
