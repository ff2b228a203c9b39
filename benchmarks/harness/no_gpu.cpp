// What stands for gpu.cpp where Wick is built without CUDA support.

#include "harness/gpu.h"

namespace wick::bench {

struct GpuCopy::Blocks {};

bool runs_on_gpu() {
  return false;
}

void wait_for_results() {}

GpuCopy::GpuCopy(double /*bytes*/) {}

GpuCopy::~GpuCopy() = default;

double GpuCopy::time_ms() const {
  return 0;
}

}  // namespace wick::bench
