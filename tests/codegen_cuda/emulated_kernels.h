#pragma once

// Kernels as CUDA text, run on the host by emulation.h. Texts are compiled in batches, for the
// compiler's start takes longer than a kernel: add all, compile once, run.

#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "codegen_cuda/emulated_text.h"

#include "wick/codegen/cuda/launch_geometry.h"
#include "wick/codegen/cuda/program_text.h"
#include "wick/codegen/lower.h"

namespace wick::codegen::cuda::test {

class EmulatedKernels {
 public:
  /// Adds the form that this launch takes.
  void add(const std::shared_ptr<const Kernel>& kernel, std::span<const int64_t> params);
  void add(const std::shared_ptr<const Kernel>& kernel, const KernelForm& form);
  void add(const LoweredFusion& lowered);
  /// Throws std::runtime_error with the compiler's messages.
  void compile();

  /// Runs the whole launch. `buffers`: one for each of the kernel's, as codegen::interpret takes
  /// them. Throws std::out_of_range for a form that was not added.
  void run(const Kernel& kernel, std::span<const int64_t> params, std::span<void* const> buffers);
  void run(const Kernel& kernel,
           const KernelForm& form,
           std::span<const int64_t> params,
           std::span<void* const> buffers);

  /// All that was added, for other compilers.
  [[nodiscard]] const std::vector<ProgramKernel>& kernels() const { return kernels_; }

 private:
  void compile_some(std::span<const ProgramKernel> kernels);

  using Key = std::pair<std::string, KernelForm>;

  std::vector<std::shared_ptr<const Kernel>> owned_;
  std::vector<ProgramKernel> kernels_;
  std::map<Key, size_t> numbers_;
  std::vector<std::shared_ptr<const EmulatedText>> texts_;  // of each kernel; many share one
};

}  // namespace wick::codegen::cuda::test
