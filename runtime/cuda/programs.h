#pragma once

// Compiled programs on a device.

#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "wick/codegen/cuda/nvrtc.h"
#include "wick/codegen/cuda/program_text.h"
#include "wick/runtime/cuda/module.h"

namespace wick::runtime::cuda {

/// Makes images of programs. Thread-safe.
class ProgramCompiler {
 public:
  ProgramCompiler() = default;
  ProgramCompiler(const ProgramCompiler&) = delete;
  ProgramCompiler& operator=(const ProgramCompiler&) = delete;
  virtual ~ProgramCompiler() = default;

  /// Generated kernels, no two of one symbol, as one program.
  virtual codegen::cuda::CompiledProgram compile(
      std::span<const codegen::cuda::ProgramKernel> kernels, int compute_capability) = 0;
  /// A program of any origin; `name` stands for it in profiles.
  virtual codegen::cuda::CompiledProgram compile(std::string_view name,
                                                 const std::string& text,
                                                 int compute_capability) = 0;
};

/// By NVRTC, or from the disk cache of the switches in force.
ProgramCompiler& nvrtc_compiler();

/// One of each symbol, in order.
std::vector<codegen::cuda::ProgramKernel> distinct(
    std::span<const codegen::cuda::ProgramKernel> kernels);

/// Kernels of a device. What was loaded once stays as long as the device: plans of the whole
/// process share it. Thread-safe.
class Programs {
 public:
  /// Both outlive it.
  Programs(const Device& device, ProgramCompiler& compiler)
      : device_(device),
        compiler_(compiler) {}

  /// The function `symbol` of a text, compiled and loaded at the first call. `shared_bytes`: the
  /// most dynamic shared memory that a launch will ask for.
  DeviceKernel kernel(std::string_view text, const std::string& symbol, unsigned shared_bytes = 0);

  /// All of these generated kernels, in order. Those that are not loaded are compiled as one
  /// program, or as several side by side where they are many.
  std::vector<DeviceKernel> kernels(std::span<const codegen::cuda::ProgramKernel> wanted);

 private:
  struct TextProgram {
    std::once_flag once;
    std::unique_ptr<Module> module;
  };

  void load(std::span<const codegen::cuda::ProgramKernel> kernels);

  const Device& device_;
  ProgramCompiler& compiler_;
  std::mutex mutex_;
  std::map<std::string, std::unique_ptr<TextProgram>, std::less<>> texts_;
  std::map<std::string, DeviceKernel, std::less<>> generated_;  // by symbol
  std::vector<std::unique_ptr<Module>> modules_;                // of generated ones
};

}  // namespace wick::runtime::cuda
