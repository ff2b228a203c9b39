// Loaded in front of a program (LD_PRELOAD), gives it a simulated GPU: so whole test programs run
// with WICK_BACKEND=cuda where there is none.

#include "runtime_cuda/simulated_gpu.h"

namespace {

/// Never destroyed: the program's tensors may live as long as it does.
[[maybe_unused]] const auto* const gpu = [] {
  auto* const made = new wick::runtime::cuda::SimulatedGpu;  // NOLINT: see above
  made->driver().keep_calls(false);
  return made;
}();

}  // namespace
