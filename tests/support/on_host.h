#pragma once

#include "wick/passes/options.h"
#include "wick/runtime/device.h"

namespace wick {

/// Whether the backend in force computes in memory of the host.
inline bool on_host() {
  return runtime::device_of_backend(options().backend).is_cpu();
}

}  // namespace wick
