#include "emulated_kernels.h"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "support/temporary_folder.h"
#include <dlfcn.h>
#include <fmt/format.h>

namespace wick::codegen::cuda::test {

namespace {

std::string content_of(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

}  // namespace

EmulatedKernels::EmulatedKernels() = default;

EmulatedKernels::~EmulatedKernels() {
  for (void* library : libraries_)
    dlclose(library);
}

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
  const TemporaryFolder folder;
  const std::string base = folder.path().string() + "/kernels";
  std::ofstream source(base + ".cpp");
  source << "#include \"" WICK_SOURCE_DIR "/tests/codegen_cuda/emulation.h\"\n"
         << program_text(kernels);
  for (const ProgramKernel& kernel : kernels) {
    source << fmt::format(
        "extern \"C\" void launch_{0}(void** arguments, unsigned grid_x, unsigned block_x,\n"
        "    unsigned block_y, bool exchanges) {{\n"
        "  emulation::launch<&{0}>(arguments, grid_x, block_x, block_y, exchanges);\n}}\n",
        kernel.symbol);
  }
  source.close();
  // A device faults where a vector is not aligned; the host's instructions would not mind.
  const std::string command = fmt::format(
      "{} -std=c++17 -O1 -w -fPIC -shared -fsanitize=alignment,bounds,shift,signed-integer-overflow"
      " -fsanitize-undefined-trap-on-error {}.cpp -o {}.so 2> {}.log",
      WICK_CXX,
      base,
      base,
      base);
  if (std::system(command.c_str()) != 0) throw std::runtime_error(content_of(base + ".log"));
  void* library = dlopen((base + ".so").c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) throw std::runtime_error(dlerror());
  libraries_.push_back(library);
  for (const ProgramKernel& kernel : kernels) {
    launchers_.push_back(
        reinterpret_cast<Launcher>(dlsym(library, ("launch_" + kernel.symbol).c_str())));
  }
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
  launchers_[number](arguments.data(),
                     geometry.grid_x,
                     geometry.block_x,
                     geometry.block_y,
                     mapping_of(kernel) != Mapping::elementwise || form.tiled_dim >= 0);
}

}  // namespace wick::codegen::cuda::test
