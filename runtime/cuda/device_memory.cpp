#include "wick/runtime/cuda/device_memory.h"

#include <fmt/format.h>

#include "wick/runtime/segment_source.h"

namespace wick::runtime::cuda {
namespace {

std::string mebibytes(size_t bytes) {
  return fmt::format("{:.1f} MiB", static_cast<double>(bytes) / (1U << 20U));
}

/// Makes no call that asks for memory back: the manager, which would give it, waits for these.
class DeviceSegments final : public SegmentSource {
 public:
  explicit DeviceSegments(const Device& device) : device_(device) {}

  std::byte* map(size_t bytes) override {
    device_.activate();
    const auto& allocate = device_.api().cuMemAlloc;
    CUdeviceptr address = 0;
    const CUresult result = allocate(&address, bytes);
    if (result == CUDA_ERROR_OUT_OF_MEMORY) return nullptr;
    device_.expect_success(result, allocate.name(), "allocating " + mebibytes(bytes));
    return reinterpret_cast<std::byte*>(address);
  }

  void unmap(std::byte* base, size_t /*bytes*/) noexcept override {
    // cuMemFree is not promised to wait for work that still uses the block.
    device_.call_quietly(device_.api().cuCtxSynchronize);
    device_.call_quietly(device_.api().cuMemFree, reinterpret_cast<CUdeviceptr>(base));
  }

  void fail(size_t bytes, const MemoryStats& stats) override {
    size_t free_bytes = 0;
    size_t total_bytes = 0;
    device_.activate();
    const auto& sizes = device_.api().cuMemGetInfo;
    device_.expect_success(
        sizes(&free_bytes, &total_bytes), sizes.name(), "asking for memory sizes");
    throw OutOfMemory(
        fmt::format("{}: out of memory: {} asked for; {} in use by this program, {} free of {}",
                    device_.name(),
                    mebibytes(bytes),
                    mebibytes(static_cast<size_t>(stats.bytes_in_use)),
                    mebibytes(free_bytes),
                    mebibytes(total_bytes)));
  }

  size_t alignment() const override { return 256; }

 private:
  const Device& device_;
};

}  // namespace

std::shared_ptr<MemoryManager> make_device_memory_manager(Device& device) {
  std::shared_ptr<MemoryManager> manager =
      make_caching_memory_manager(std::make_unique<DeviceSegments>(device));
  device.on_out_of_memory([weak = std::weak_ptr(manager)] {
    if (const std::shared_ptr<MemoryManager> alive = weak.lock()) alive->release_cached();
  });
  return manager;
}

}  // namespace wick::runtime::cuda
