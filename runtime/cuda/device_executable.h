#pragma once

// Runs plans on a GPU.

#include <memory>

#include "wick/runtime/cuda/gpu.h"
#include "wick/runtime/plan.h"

namespace wick::runtime::cuda {

/// Steps are enqueued on the device's compute stream, and `run` does not wait for them, but for
/// those that the host does. Runs over the same memory as an earlier one are replayed as a graph.
std::unique_ptr<Executable> make_device_executable(std::unique_ptr<Plan> plan, Gpu& gpu);

/// Of a plan for a device that is not here: it can be looked at. `run` throws Error.
std::unique_ptr<Executable> make_absent_executable(std::unique_ptr<Plan> plan, std::string target);

}  // namespace wick::runtime::cuda
