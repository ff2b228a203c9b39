#pragma once

// Programs run where their nodes are. Internal.

#include <optional>
#include <span>

#include "wick/passes/options.h"
#include "wick/tensor/node.h"

namespace wick::detail {

/// The first place that a pending node has. Empty where none has one.
std::optional<Device> device_of(std::span<const Ref<Node>> nodes);

/// While it lives, the backend in force runs on `device`: the one that is in force already where it
/// does, or where there is no device.
class DeviceScope {
 public:
  explicit DeviceScope(std::optional<Device> device);

 private:
  std::optional<ScopedOptions> scope_;
};

}  // namespace wick::detail
