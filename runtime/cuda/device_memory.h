#pragma once

// Memory on a GPU, behind the same interface and caching policy as the host's.

#include <memory>

#include "wick/runtime/cuda/device.h"
#include "wick/runtime/memory_manager.h"

namespace wick::runtime::cuda {

/// Blocks are device addresses, aligned to 256 bytes; the host cannot read them. A freed block may
/// be handed out while work on it is still enqueued: that is right for work on the compute stream
/// (see stream.h). The cache is given back to the driver after the device is idle. Out of memory
/// even then: throws a std::bad_alloc whose text has the sizes. Throws DeviceLost.
/// `device` outlives the manager, and what the manager caches is given back when any other call on
/// the device finds no memory: one manager a device.
std::shared_ptr<MemoryManager> make_device_memory_manager(Device& device);

}  // namespace wick::runtime::cuda
