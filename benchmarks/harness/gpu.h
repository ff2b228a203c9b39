#pragma once

// What changes in a measurement when the rows run on a GPU.

#include <cstddef>
#include <memory>

namespace wick::bench {

/// Whether the backend in force computes on a GPU.
bool runs_on_gpu();

/// Blocks until all results of this process are there. A GPU computes while the thread goes on, so
/// whatever is timed ends with this; on the CPU there is nothing to wait for.
void wait_for_results();

/// Copies inside the GPU's memory: the floor of what is bound by that memory.
class GpuCopy {
 public:
  /// Of `bytes`, half read and half written.
  explicit GpuCopy(double bytes);
  GpuCopy(const GpuCopy&) = delete;
  GpuCopy& operator=(const GpuCopy&) = delete;
  ~GpuCopy();

  [[nodiscard]] double time_ms() const;

 private:
  struct Blocks;
  std::unique_ptr<Blocks> blocks_;
};

}  // namespace wick::bench
