#include "emit_cuda.h"

#include "wick/codegen/cuda/program_text.h"

namespace wick::tools {

namespace cuda = codegen::cuda;

std::string cuda_symbol(const codegen::KernelLaunch& launch) {
  return symbol_of(*launch.kernel, cuda::choose_form(*launch.kernel, launch.params));
}

std::string cuda_text(const codegen::KernelLaunch& launch) {
  const codegen::Kernel& kernel = *launch.kernel;
  return cuda::kernel_text(
      {.kernel = &kernel, .form = cuda::choose_form(kernel, launch.params), .symbol = kernel.name});
}

}  // namespace wick::tools
