#include "wick/runtime/cuda/programs.h"

#include <algorithm>
#include <set>

#include "wick/codegen/cuda/launch_geometry.h"
#include "wick/codegen/cuda/program_cache.h"
#include "wick/codegen/disk_cache.h"
#include "wick/runtime/parallel.h"

namespace wick::runtime::cuda {
namespace {

using codegen::cuda::CompiledProgram;
using codegen::cuda::ProgramKernel;

/// The compiler starts once a program, at about the cost of one kernel; beyond this many, two
/// threads with a program each are done sooner.
constexpr size_t kKernelsPerProgram = 16;

/// The most that launch_geometry asks for.
constexpr unsigned kMaxSharedBytes = 96U << 10U;

class NvrtcCompiler final : public ProgramCompiler {
 public:
  CompiledProgram compile(std::span<const ProgramKernel> kernels, int compute_capability) override {
    return codegen::cuda::compile_program(
        kernels, compute_capability, codegen::default_cache_directory());
  }

  CompiledProgram compile(std::string_view name,
                          const std::string& text,
                          int compute_capability) override {
    return codegen::cuda::compile_text(
        name, text, compute_capability, codegen::default_cache_directory());
  }
};

}  // namespace

ProgramCompiler& nvrtc_compiler() {
  static NvrtcCompiler compiler;
  return compiler;
}

DeviceKernel Programs::kernel(std::string_view text,
                              const std::string& symbol,
                              unsigned shared_bytes) {
  TextProgram* program = nullptr;
  {
    const std::lock_guard lock(mutex_);
    auto found = texts_.find(text);
    if (found == texts_.end())
      found = texts_.emplace(std::string(text), std::make_unique<TextProgram>()).first;
    program = found->second.get();
  }
  std::call_once(program->once, [&] {
    const int sm = device_.properties().sm;
    const CompiledProgram compiled = compiler_.compile(symbol, std::string(text), sm);
    program->module = std::make_unique<Module>(device_, compiled.image);
  });
  return program->module->kernel(symbol, shared_bytes);
}

std::vector<ProgramKernel> distinct(std::span<const ProgramKernel> kernels) {
  std::vector<ProgramKernel> result;
  std::set<std::string_view> symbols;
  for (const ProgramKernel& kernel : kernels) {
    if (symbols.insert(kernel.symbol).second) result.push_back(kernel);
  }
  return result;
}

std::vector<DeviceKernel> Programs::kernels(std::span<const ProgramKernel> wanted) {
  const std::lock_guard lock(mutex_);
  std::vector<ProgramKernel> missing = distinct(wanted);
  std::erase_if(missing,
                [this](const ProgramKernel& kernel) { return generated_.contains(kernel.symbol); });
  load(missing);
  std::vector<DeviceKernel> loaded;
  for (const ProgramKernel& kernel : wanted)
    loaded.push_back(generated_.at(kernel.symbol));
  return loaded;
}

void Programs::load(std::span<const ProgramKernel> kernels) {
  struct Part {
    std::span<const ProgramKernel> kernels;
    CompiledProgram program;
  };

  std::vector<Part> parts;
  for (size_t begin = 0; begin < kernels.size(); begin += kKernelsPerProgram)
    parts.emplace_back().kernels =
        kernels.subspan(begin, std::min(kKernelsPerProgram, kernels.size() - begin));
  const DeviceProperties& device = device_.properties();
  parallel_for(static_cast<int64_t>(parts.size()), [&](int64_t i) {
    Part& part = parts[static_cast<size_t>(i)];
    part.program = compiler_.compile(part.kernels, device.sm);
  });
  const auto shared_bytes =
      static_cast<unsigned>(std::min<size_t>(kMaxSharedBytes, device.shared_bytes_per_block));
  for (const Part& part : parts) {
    const Module& module =
        *modules_.emplace_back(std::make_unique<Module>(device_, part.program.image));
    for (const ProgramKernel& kernel : part.kernels) {
      generated_.emplace(kernel.symbol, module.kernel(kernel.symbol, shared_bytes));
    }
  }
}

}  // namespace wick::runtime::cuda
