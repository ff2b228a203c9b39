#include "wick/runtime/cuda/device_plan.h"

#include <algorithm>

#include "wick/codegen/cuda/launch_geometry.h"
#include "wick/runtime/cuda/not_supported.h"

namespace wick::runtime::cuda {
namespace {

namespace generated = codegen::cuda;

bool has_own_memory(const codegen::Kernel& kernel) {
  return std::ranges::any_of(kernel.buffers,
                             [](const auto& buffer) { return buffer.own_elements > 0; });
}

ReadyKernel ready(const KernelStep& step, const generated::KernelForm& form, DeviceKernel kernel) {
  const generated::LaunchGeometry geometry =
      generated::launch_geometry(*step.kernel, form, step.params);
  return {.step = &step,
          .kernel = std::move(kernel),
          .shape = {.grid = {geometry.grid_x, 1, 1},
                    .block = {geometry.block_x, geometry.block_y, 1},
                    .shared_bytes = static_cast<unsigned>(geometry.shared_bytes)},
          .workspace_bytes = geometry.workspace_bytes,
          .takes_workspace = has_own_memory(*step.kernel)};
}

class Preparation {
 public:
  Preparation(Plan& plan, Gpu& gpu)
      : plan_(plan),
        gpu_(gpu),
        launches_(program_kernels(plan)),
        kernels_(gpu.programs().kernels(launches_)) {}

  DevicePlan run() {
    for (Step& step : plan_.steps) {
      try {
        ready_.steps.push_back(std::visit([&](auto& action) { return make(action); }, step.action));
      } catch (const Error& error) {
        if (error.where().is_known()) throw;
        throw Error(step.where, step.name, error.text());
      }
    }
    copy_constants();
    return std::move(ready_);
  }

 private:
  ReadyStep make(KernelStep& step) {
    const size_t launch = num_launches_++;
    ReadyKernel kernel = ready(step, launches_[launch].form, std::move(kernels_[launch]));
    ready_.workspace_bytes = std::max(ready_.workspace_bytes, kernel.workspace_bytes);
    return kernel;
  }

  ReadyStep make(LibraryStep& step) {
    if (const auto* host = dynamic_cast<const HostFallback*>(step.call.get()))
      return host_step({.call = &host->call()});
    auto& call = dynamic_cast<DeviceCall&>(*step.call);
    try {
      call.prepare(gpu_);
    } catch (const NotSupported&) {
      return fallback(step);
    }
    ready_.workspace_bytes = std::max(ready_.workspace_bytes, call.workspace_bytes());
    return ReadyCall{&call};
  }

  ReadyStep fallback(const LibraryStep& step) {
    if (std::unique_ptr<HostCall> call = make_host_call(step.op, step.threads)) {
      ready_.host_calls.push_back(std::move(call));
      return host_step({.call = ready_.host_calls.back().get()});
    }
    ready_.interpreted.push_back(std::make_unique<InterpretStep>(
        InterpretStep{.op = step.op.op, .attributes = step.op.attributes, .body = nullptr}));
    return host_step({.interpreted = ready_.interpreted.back().get()});
  }

  ReadyStep make(InterpretStep& step) { return host_step({.interpreted = &step}); }

  static ReadyStep make(CopyStep& /*step*/) { return ReadyCopy{}; }

  ReadyHostStep host_step(ReadyHostStep step) {
    ready_.waits_for_host = true;
    return step;
  }

  void copy_constants() {
    for (const Ref<Buffer>& constant : plan_.constants)
      ready_.constants.push_back(copy_to(gpu_.where(), constant, {.purpose = "constant"}));
  }

  Plan& plan_;
  Gpu& gpu_;
  DevicePlan ready_;
  std::vector<generated::ProgramKernel> launches_;
  std::vector<DeviceKernel> kernels_;  // of each launch
  size_t num_launches_ = 0;            // that are ready
};

}  // namespace

std::vector<generated::ProgramKernel> program_kernels(const Plan& plan) {
  std::vector<generated::ProgramKernel> kernels;
  for (const Step& step : plan.steps) {
    const auto* launch = std::get_if<KernelStep>(&step.action);
    if (launch == nullptr) continue;
    if (launch->tasks_in_order > 1) {
      constexpr auto kWhy =
          "its rows run in order, and those of a GPU side by side: fuse{columns-with-rows=false} "
          "makes two kernels of it";
      throw Error(step.where, step.name, kWhy);
    }
    const generated::KernelForm form = generated::choose_form(*launch->kernel, launch->params);
    kernels.push_back({.kernel = launch->kernel.get(),
                       .form = form,
                       .symbol = generated::symbol_of(*launch->kernel, form)});
  }
  return kernels;
}

DevicePlan prepare(Plan& plan, Gpu& gpu) {
  return Preparation(plan, gpu).run();
}

}  // namespace wick::runtime::cuda
