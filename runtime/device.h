#pragma once

// Where tensors live and ops run.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "wick/runtime/memory_manager.h"

namespace wick {

/// The host, or one GPU.
struct Device {
  enum class Kind : uint8_t { cpu, cuda };
  Kind kind = Kind::cpu;
  uint8_t ordinal = 0;

  [[nodiscard]] bool is_cpu() const { return kind == Kind::cpu; }

  friend bool operator==(const Device&, const Device&) = default;
};

inline Device cpu() {
  return {};
}

/// The GPU `ordinal`, as `wick-run --list-devices` numbers them. Throws std::invalid_argument for
/// ordinals that are negative or above 127. That there is such a GPU is found out when it is used.
Device cuda(int ordinal = 0);

/// "cpu", "cuda:0".
std::string to_string(Device device);

/// Waits until all that was enqueued on GPUs is done; for timing. Throws Error when something went
/// wrong there.
void synchronize();

namespace runtime {

/// The device that a backend of this name runs on: "cuda" and "cuda:0" mean the first GPU, all that
/// is not a GPU's the host.
Device device_of_backend(std::string_view backend);

/// Memory that the host cannot reach, and the way there. Thread-safe.
class DeviceMemory {
 public:
  DeviceMemory() = default;
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;
  virtual ~DeviceMemory() = default;

  [[nodiscard]] virtual Device where() const = 0;

  /// Must not outlive this.
  [[nodiscard]] virtual const std::shared_ptr<MemoryManager>& memory() const = 0;

  /// Returns when all of `from` is read.
  virtual void upload(void* device_memory, const void* from, size_t bytes) = 0;
  /// After all that was enqueued before; waits for it. Throws what went wrong there.
  virtual void download(void* to, const void* device_memory, size_t bytes) = 0;
  /// From one place of the device to another, in the order of its work: returns at once.
  virtual void copy(void* to, const void* from, size_t bytes) = 0;
  /// Waits for all that was enqueued.
  virtual void synchronize() = 0;
};

/// Of a GPU, which is opened at the first call. Throws Error naming what is missing where there is
/// none.
DeviceMemory& device_memory(Device device);

}  // namespace runtime
}  // namespace wick
