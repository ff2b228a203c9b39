#include "wick/runtime/cuda/transfer.h"

#include <algorithm>
#include <cstring>
#include <deque>

namespace wick::runtime::cuda {
namespace {

const std::byte* advance(const void* memory, size_t bytes) {
  return static_cast<const std::byte*>(memory) + bytes;
}

}  // namespace

void copy_on_device(const Stream& stream, void* to, const void* from, size_t bytes) {
  if (bytes == 0) return;
  const Device& device = stream.device();
  device.call("copying on the device",
              device.api().cuMemcpyDtoDAsync,
              address_of(to),
              address_of(from),
              bytes,
              stream.handle());
}

void fill_zero(const Stream& stream, void* device_memory, size_t bytes) {
  if (bytes == 0) return;
  const Device& device = stream.device();
  device.call("filling with zeros",
              device.api().cuMemsetD8Async,
              address_of(device_memory),
              static_cast<unsigned char>(0),
              bytes,
              stream.handle());
}

StagingRing::StagingRing(const Device& device, StagingOptions options)
    : device_(device),
      options_(options) {}

StagingRing::~StagingRing() {
  for (const std::unique_ptr<Slot>& slot : slots_)
    device_.call_quietly(device_.api().cuEventSynchronize, slot->done.handle());
}

StagingRing::Slot& StagingRing::next_slot(size_t busy) {
  const bool is_full = slots_.size() == static_cast<size_t>(options_.slots);
  if (busy < slots_.size()) {
    Slot& oldest = *slots_[next_];
    const bool is_free = oldest.done.is_reached();
    if (is_free || is_full) {
      if (!is_free) oldest.done.synchronize("waiting for an earlier copy");
      next_ = (next_ + 1) % slots_.size();
      return oldest;
    }
  }
  const auto before_oldest = slots_.begin() + static_cast<std::ptrdiff_t>(next_);
  Slot& fresh =
      **slots_.insert(before_oldest, std::make_unique<Slot>(device_, options_.slot_bytes));
  next_ = (next_ + 1) % slots_.size();
  return fresh;
}

void StagingRing::upload(const Stream& stream,
                         void* device_memory,
                         const void* from,
                         size_t bytes) {
  const std::lock_guard lock(mutex_);
  for (size_t begin = 0; begin < bytes; begin += options_.slot_bytes) {
    const size_t part = std::min(bytes - begin, options_.slot_bytes);
    const Slot& slot = next_slot(/*busy=*/0);
    std::memcpy(slot.memory.data(), advance(from, begin), part);
    device_.call("copying to the device",
                 device_.api().cuMemcpyHtoDAsync,
                 address_of(advance(device_memory, begin)),
                 static_cast<const void*>(slot.memory.data()),
                 part,
                 stream.handle());
    slot.done.record(stream);
  }
}

void StagingRing::download(const Stream& stream,
                           void* to,
                           const void* device_memory,
                           size_t bytes) {
  struct Pending {
    const Slot* slot;
    size_t begin;
    size_t bytes;
  };

  const std::lock_guard lock(mutex_);
  std::deque<Pending> pending;
  const auto finish_oldest = [&] {
    const Pending& oldest = pending.front();
    oldest.slot->done.synchronize("copying from the device");
    std::memcpy(
        static_cast<std::byte*>(to) + oldest.begin, oldest.slot->memory.data(), oldest.bytes);
    pending.pop_front();
  };
  for (size_t begin = 0; begin < bytes; begin += options_.slot_bytes) {
    if (pending.size() == static_cast<size_t>(options_.slots)) finish_oldest();
    const size_t part = std::min(bytes - begin, options_.slot_bytes);
    const Slot& slot = next_slot(pending.size());
    device_.call("copying from the device",
                 device_.api().cuMemcpyDtoHAsync,
                 static_cast<void*>(slot.memory.data()),
                 address_of(advance(device_memory, begin)),
                 part,
                 stream.handle());
    slot.done.record(stream);
    pending.push_back({&slot, begin, part});
  }
  while (!pending.empty())
    finish_oldest();
}

}  // namespace wick::runtime::cuda
