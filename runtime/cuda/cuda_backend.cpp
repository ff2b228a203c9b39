#include <charconv>
#include <optional>
#include <stdexcept>

#include <fmt/format.h>

#include "wick/codegen/cuda/program_text.h"
#include "wick/codegen/kernel_provider.h"
#include "wick/runtime/built_in_backends.h"
#include "wick/runtime/compile_by_plan.h"
#include "wick/runtime/cuda/device_executable.h"
#include "wick/runtime/cuda/device_libraries.h"
#include "wick/runtime/cuda/device_plan.h"

namespace wick::runtime {
namespace cuda {
namespace {

namespace generated = codegen::cuda;

std::string resources_text(const generated::CompiledProgram& program) {
  std::string text;
  for (const generated::KernelResources& kernel : program.resources) {
    text += fmt::format("{}: {} registers, {} bytes of stack, {} of spills, {} of shared memory\n",
                        kernel.symbol,
                        kernel.registers,
                        kernel.stack_bytes,
                        kernel.spill_bytes,
                        kernel.static_shared_bytes);
  }
  return text;
}

/// Kernels of plans become programs when a plan is made ready, in forms that its launches decide:
/// here are only their texts.
class Listings final : public codegen::KernelProvider {
 public:
  explicit Listings(std::string target, int sm) : target_(std::move(target)), sm_(sm) {}

  std::vector<codegen::ProvidedKernel> provide(
      std::span<const codegen::Kernel* const> kernels) override {
    return std::vector<codegen::ProvidedKernel>(kernels.size());
  }

  std::vector<codegen::CodeListing> listings(const codegen::Kernel& kernel,
                                             std::span<const int64_t> params) override {
    const generated::KernelForm form = generated::choose_form(kernel, params);
    const generated::ProgramKernel entry{
        .kernel = &kernel, .form = form, .symbol = symbol_of(kernel, form)};
    std::vector<codegen::CodeListing> listings{
        {"CUDA C++", "cu", generated::program_text({&entry, 1})}};
    if (generated::Nvrtc::instance().is_available()) {
      const generated::CompiledProgram program = nvrtc_compiler().compile({&entry, 1}, sm_);
      listings.push_back({"resources", "ptxas.txt", resources_text(program)});
    }
    return listings;
  }

  std::string target() override { return target_; }

 private:
  std::string target_;
  int sm_;
};

/// The device that plans are for: one of this machine, or a kind of one.
struct Target {
  int ordinal = -1;  // of the machine's
  int sm = -1;       // of a kind
};

std::optional<Target> parse_target(std::string_view name) {
  if (name == "cuda") return Target{.ordinal = 0};
  constexpr std::string_view kPrefix = "cuda:";
  if (!name.starts_with(kPrefix)) return std::nullopt;
  name.remove_prefix(kPrefix.size());
  constexpr std::string_view kKind = "sm_";
  const bool is_kind = name.starts_with(kKind);
  if (is_kind) name.remove_prefix(kKind.size());
  int number = -1;
  const char* const end = name.data() + name.size();
  const auto parsed = std::from_chars(name.data(), end, number);
  if (parsed.ec != std::errc() || parsed.ptr != end || number < 0) return std::nullopt;
  return is_kind ? Target{.sm = number} : Target{.ordinal = number};
}

class CudaBackend final : public Backend {
 public:
  CudaBackend(std::string_view name, Target target) : name_(name), target_(target) {}

  [[nodiscard]] std::string_view name() const override { return name_; }

  std::unique_ptr<Executable> compile(std::unique_ptr<ir::Graph> graph,
                                      CompileRecord* record) override {
    if (target_.ordinal < 0) {
      return compile(std::move(graph), record, target_.sm, [this](std::unique_ptr<Plan> plan) {
        compile_kernels(*plan);
        return make_absent_executable(std::move(plan), name_);
      });
    }
    Gpu& device = gpu(target_.ordinal);
    const int sm = device.device().properties().sm;
    return compile(std::move(graph), record, sm, [&device](std::unique_ptr<Plan> plan) {
      return make_device_executable(std::move(plan), device);
    });
  }

  [[nodiscard]] PlanOptions planning() const override {
    return {.fusions = PlanOptions::Fusions::interpret_kernels,
            .library = device_library,
            .side_by_side = false};
  }

 private:
  std::unique_ptr<Executable> compile(std::unique_ptr<ir::Graph> graph,
                                      CompileRecord* record,
                                      int sm,
                                      const MakeExecutable& make) const {
    Listings listings(fmt::format("cuda:sm_{}", sm), sm);
    const PlanOptions options{
        .kernels = &listings, .library = device_library, .backend = name_, .side_by_side = false};
    return compile_by_plan(std::move(graph), options, record, make);
  }

  /// Nobody will run them: what the compiler says of them is all that is wanted.
  void compile_kernels(const Plan& plan) const {
    const std::vector<generated::ProgramKernel> kernels = program_kernels(plan);
    if (kernels.empty() || !generated::Nvrtc::instance().is_available()) return;
    (void)nvrtc_compiler().compile(distinct(kernels), target_.sm);
  }

  std::string name_;
  Target target_;
};

}  // namespace
}  // namespace cuda

std::unique_ptr<Backend> make_cuda_backend(std::string_view name) {
  const std::optional<cuda::Target> target = cuda::parse_target(name);
  return target ? std::make_unique<cuda::CudaBackend>(name, *target) : nullptr;
}

DeviceMemory& device_memory(Device device) {
  return cuda::gpu(device.ordinal);
}

}  // namespace wick::runtime

void wick::synchronize() {
  for (wick::runtime::cuda::Gpu* gpu : wick::runtime::cuda::open_gpus())
    gpu->synchronize();
}
