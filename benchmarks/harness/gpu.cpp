#include "harness/gpu.h"

#include <algorithm>
#include <string>

#include "harness/turns.h"

#include "wick/passes/options.h"
#include "wick/runtime/cuda/gpu.h"
#include "wick/runtime/cuda/transfer.h"

namespace wick::bench {

using runtime::cuda::gpu;

struct GpuCopy::Blocks {
  explicit Blocks(size_t each)
      : bytes(each),
        from(gpu().memory()->allocate(bytes, {.purpose = "benchmark"})),
        to(gpu().memory()->allocate(bytes, {.purpose = "benchmark"})) {
    fill_zero(gpu().stream(), from, bytes);
    fill_zero(gpu().stream(), to, bytes);
  }

  Blocks(const Blocks&) = delete;
  Blocks& operator=(const Blocks&) = delete;

  ~Blocks() {
    gpu().memory()->free(from);
    gpu().memory()->free(to);
  }

  size_t bytes;
  void* from;
  void* to;
};

bool runs_on_gpu() {
  const std::string& backend = options().backend;
  return backend.starts_with("cuda") && !backend.starts_with("cuda:sm_");  // that one only compiles
}

void wait_for_results() {
  synchronize();
}

GpuCopy::GpuCopy(double bytes)
    : blocks_(std::make_unique<Blocks>(std::max<size_t>(64, static_cast<size_t>(bytes / 2)))) {}

GpuCopy::~GpuCopy() = default;

double GpuCopy::time_ms() const {
  return bench::time_ms([this] {
    copy_on_device(gpu().stream(), blocks_->to, blocks_->from, blocks_->bytes);
    wait_for_results();
  });
}

}  // namespace wick::bench
