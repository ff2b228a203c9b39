// What stands for runtime/cuda where Wick is built without CUDA headers.

#include "wick/runtime/gpu_report.h"

namespace wick::runtime {

GpuReport gpu_report() {
  return {.gpus = {}, .problem = "this Wick was built without CUDA support", .libraries = {}};
}

}  // namespace wick::runtime
