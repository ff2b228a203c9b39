#pragma once

// Programs compiled once for all processes: on the disk cache that kernels of the CPU use too.

#include <span>
#include <string>
#include <string_view>

#include "wick/codegen/cuda/nvrtc.h"
#include "wick/codegen/cuda/program_text.h"
#include "wick/codegen/kernel_provider.h"

namespace wick::codegen::cuda {

/// These kernels as one program for a device of this compute capability. Comes from `directory` if
/// the text, NVRTC's version and its options are what they were ("": no cache); otherwise it is
/// compiled and left there. Throws std::runtime_error with the text's name and NVRTC's log, or
/// saying why NVRTC is not available. Thread-safe.
CompiledProgram compile_program(std::span<const ProgramKernel> kernels,
                                int compute_capability,
                                const std::string& directory,
                                KernelOrigin* origin = nullptr);

/// The same for a text of any origin; `name` stands for it in profiles.
CompiledProgram compile_text(std::string_view name,
                             const std::string& text,
                             int compute_capability,
                             const std::string& directory,
                             KernelOrigin* origin = nullptr);

}  // namespace wick::codegen::cuda
