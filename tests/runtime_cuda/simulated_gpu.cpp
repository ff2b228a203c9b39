#include "runtime_cuda/simulated_gpu.h"

#include <algorithm>
#include <cstring>
#include <mutex>

#include <fmt/format.h>

#include "wick/autograd/autograd.h"
#include "wick/tensor/materialize.h"
#include "wick/tensor/plan_cache.h"

namespace wick::runtime::cuda {
namespace {

using codegen::cuda::CompiledProgram;
using codegen::cuda::ProgramKernel;
using codegen::cuda::test::EmulatedText;

constexpr const char* kGenerated = "generated";

/// An image that names a program.
CompiledProgram image_of(const std::string& name) {
  CompiledProgram program;
  program.image.resize(name.size() + 1);
  std::memcpy(program.image.data(), name.c_str(), program.image.size());
  return program;
}

/// A launch's table of parameters and its buffers, as codegen::interpret takes them.
struct GeneratedLaunch {
  std::vector<void*> buffers;
  std::vector<int64_t> params;

  GeneratedLaunch(const codegen::Kernel& kernel, void* const* arguments) {
    bool has_own = false;
    for (const codegen::BufferArg& buffer : kernel.buffers) {
      const bool is_own = buffer.own_elements > 0;
      buffers.push_back(is_own ? nullptr : *static_cast<void**>(*arguments++));
      has_own |= is_own;
    }
    if (has_own) ++arguments;  // the workspace
    const auto* table = static_cast<const int64_t*>(*arguments);
    params.assign(table, table + kernel.num_params);
  }
};

void interpret_whole(const codegen::Kernel& kernel, const GeneratedLaunch& launch) {
  int64_t tasks = 1;
  for (size_t d = 0; d < kernel.dims.size(); ++d) {
    const bool is_task = !kernel.dims[d].inner && static_cast<int>(d) != kernel.vector_dim;
    if (is_task) tasks *= codegen::cuda::extent_of(kernel, launch.params, d);
  }
  const int64_t vectors =
      codegen::cuda::extent_of(kernel, launch.params, static_cast<size_t>(kernel.vector_dim));
  codegen::interpret(kernel, launch.buffers.data(), launch.params.data(), 0, tasks, 0, vectors);
}

}  // namespace

CompiledProgram SimulatedMachine::compile(std::span<const ProgramKernel> kernels,
                                          int /*compute_capability*/) {
  for (const ProgramKernel& kernel : kernels) {
    generated_.emplace(kernel.symbol,
                       Generated{std::make_shared<codegen::Kernel>(*kernel.kernel), kernel.form});
  }
  return image_of(kGenerated);
}

CompiledProgram SimulatedMachine::compile(std::string_view /*name*/,
                                          const std::string& text,
                                          int /*compute_capability*/) {
  const std::string image = fmt::format("text {}", written_.size());
  written_.emplace(image,
                   std::make_shared<EmulatedText>(text, codegen::cuda::test::kernels_of(text)));
  return image_of(image);
}

void SimulatedMachine::load(CUmodule module, const void* image) {
  images_[module] = static_cast<const char*>(image);
}

std::function<void()> SimulatedMachine::launch(CUmodule module,
                                               const std::string& kernel,
                                               std::array<unsigned, 3> grid,
                                               std::array<unsigned, 3> block,
                                               void* const* arguments) {
  const std::string& image = images_.at(module);
  if (image == kGenerated) return launch_generated(generated_.at(kernel), arguments);
  return written_.at(image)->bind(
      kernel, {.grid_x = grid[0], .block_x = block[0], .block_y = block[1]}, arguments);
}

std::function<void()> SimulatedMachine::launch_generated(const Generated& generated,
                                                         void* const* arguments) {
  const std::shared_ptr<const codegen::Kernel> kernel = generated.kernel;
  GeneratedLaunch launch(*kernel, arguments);
  if (runs_texts_) {
    return [this, kernel, form = generated.form, launch = std::move(launch)] {
      texts_.run(*kernel, form, launch.params, launch.buffers);
    };
  }
  texts_.add(kernel, generated.form);
  return [kernel, launch = std::move(launch)] { interpret_whole(*kernel, launch); };
}

SimulatedGpu::SimulatedGpu() {
  driver_.set_memory_bytes(size_t{8} << 30U);
  driver_.set_machine(machine_);
  cudnn_.support_f32_alone();
}

SimulatedGpu::~SimulatedGpu() {
  // What the process keeps for later may be on it.
  take_pending_losses();
  take_pending_gradients();
  const std::lock_guard lock(wick::detail::materialization_lock());
  wick::detail::PlanCache::instance().clear();  // plans hold what was loaded on it
}

}  // namespace wick::runtime::cuda
