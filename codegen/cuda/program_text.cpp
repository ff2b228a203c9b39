#include "wick/codegen/cuda/program_text.h"

#include <fmt/format.h>

#include "wick/codegen/cuda/device_text.h"
#include "wick/codegen/cuda/kernel_writer.h"

namespace wick::codegen::cuda {

std::string symbol_of(const Kernel& kernel, const KernelForm& form) {
  return fmt::format("wick_{}_{}w{}{}h{}{}t{}",
                     to_string(identity(kernel)),
                     form.wide_index ? "l" : "i",
                     form.width,
                     form.has_rest ? "r" : "",
                     form.held,
                     form.alone ? "a" : "",
                     form.tiled_dim + 1);
}

std::string kernel_text(const ProgramKernel& kernel) {
  return KernelWriter(*kernel.kernel, kernel.form, kernel.symbol).run();
}

std::string program_text(std::span<const ProgramKernel> kernels) {
  std::string text(device_text);
  for (const ProgramKernel& kernel : kernels)
    text += "\n" + kernel_text(kernel);
  return text;
}

int num_pointer_arguments(const Kernel& kernel) {
  int buffers = 0;
  int own = 0;
  for (const BufferArg& buffer : kernel.buffers)
    ++(buffer.own_elements > 0 ? own : buffers);
  return buffers + (own > 0 ? 1 : 0);
}

}  // namespace wick::codegen::cuda
