#include "emulated_kernels.h"

#include <algorithm>
#include <cstddef>

#include <fmt/format.h>

namespace wick::codegen::cuda::test {

void EmulatedKernels::add(const std::shared_ptr<const Kernel>& kernel,
                          std::span<const int64_t> params) {
  add(kernel, choose_form(*kernel, params));
}

void EmulatedKernels::add(const std::shared_ptr<const Kernel>& kernel, const KernelForm& form) {
  const size_t number = kernels_.size();
  if (!numbers_.try_emplace({to_string(*kernel, false), form}, number).second) return;
  owned_.push_back(kernel);
  kernels_.push_back(
      {.kernel = kernel.get(), .form = form, .symbol = fmt::format("kernel{}", number)});
}

void EmulatedKernels::add(const LoweredFusion& lowered) {
  for (const KernelLaunch& launch : lowered.launches)
    add(launch.kernel, launch.params);
}

void EmulatedKernels::compile() {
  constexpr size_t kMost = 200;  // of one file: the compiler's memory grows with it
  const std::span<const ProgramKernel> all(kernels_);
  for (size_t begin = 0; begin < all.size(); begin += kMost)
    compile_some(all.subspan(begin, std::min(kMost, all.size() - begin)));
}

void EmulatedKernels::compile_some(std::span<const ProgramKernel> kernels) {
  std::vector<std::string> symbols;
  for (const ProgramKernel& kernel : kernels)
    symbols.push_back(kernel.symbol);
  const auto text = std::make_shared<EmulatedText>(program_text(kernels), symbols);
  texts_.insert(texts_.end(), kernels.size(), text);
}

void EmulatedKernels::run(const Kernel& kernel,
                          std::span<const int64_t> params,
                          std::span<void* const> buffers) {
  run(kernel, choose_form(kernel, params), params, buffers);
}

void EmulatedKernels::run(const Kernel& kernel,
                          const KernelForm& form,
                          std::span<const int64_t> params,
                          std::span<void* const> buffers) {
  const size_t number = numbers_.at({to_string(kernel, false), form});
  const LaunchGeometry geometry = launch_geometry(kernel, form, params);
  std::vector<void*> pointers;
  for (size_t b = 0; b < kernel.buffers.size(); ++b) {
    if (kernel.buffers[b].own_elements == 0) pointers.push_back(buffers[b]);
  }
  const auto num_pointers = static_cast<size_t>(num_pointer_arguments(kernel));
  std::vector<std::max_align_t> workspace(geometry.workspace_bytes / sizeof(std::max_align_t) + 1);
  if (pointers.size() < num_pointers) {
    pointers.push_back(geometry.workspace_bytes == 0 ? nullptr : workspace.data());
  }
  std::vector<void*> arguments;
  for (void*& pointer : pointers)
    arguments.push_back(&pointer);
  arguments.push_back(const_cast<int64_t*>(params.data()));
  const EmulatedShape shape{
      .grid_x = geometry.grid_x,
      .block_x = geometry.block_x,
      .block_y = geometry.block_y,
      .exchanges = mapping_of(kernel) != Mapping::elementwise || form.tiled_dim >= 0};
  texts_[number]->run(kernels_[number].symbol, shape, arguments.data());
}

}  // namespace wick::codegen::cuda::test
