#include "wick/runtime/cuda/device_plan.h"

#include <algorithm>
#include <set>

#include "wick/codegen/cuda/launch_geometry.h"
#include "wick/runtime/cuda/not_supported.h"

namespace wick::runtime::cuda {
namespace {

namespace generated = codegen::cuda;

generated::KernelForm form_of(const KernelStep& step) {
  return generated::choose_form(*step.kernel, step.params);
}

bool has_own_memory(const codegen::Kernel& kernel) {
  return std::ranges::any_of(kernel.buffers,
                             [](const auto& buffer) { return buffer.own_elements > 0; });
}

ReadyKernel ready(const KernelStep& step, DeviceKernel kernel) {
  const generated::LaunchGeometry geometry =
      generated::launch_geometry(*step.kernel, form_of(step), step.params);
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
  Preparation(Plan& plan, Gpu& gpu) : plan_(plan), gpu_(gpu) {}

  DevicePlan run() {
    load_kernels();
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
  void load_kernels() {
    const std::vector<generated::ProgramKernel> wanted = program_kernels(plan_);
    const std::vector<Programs::Loaded> loaded = gpu_.programs().kernels(wanted);
    for (size_t i = 0; i < wanted.size(); ++i)
      kernels_.emplace(wanted[i].symbol, loaded[i]);
  }

  ReadyStep make(KernelStep& step) {
    const auto& [kernel, origin] = kernels_.at(generated::symbol_of(*step.kernel, form_of(step)));
    step.origin = origin;
    ReadyKernel launch = ready(step, kernel);
    ready_.workspace_bytes = std::max(ready_.workspace_bytes, launch.workspace_bytes);
    return launch;
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
  std::map<std::string, Programs::Loaded> kernels_;
};

}  // namespace

std::vector<generated::ProgramKernel> program_kernels(const Plan& plan) {
  std::vector<generated::ProgramKernel> kernels;
  std::set<std::string> known;
  for (const Step& step : plan.steps) {
    const auto* launch = std::get_if<KernelStep>(&step.action);
    if (launch == nullptr) continue;
    const generated::KernelForm form = form_of(*launch);
    std::string symbol = generated::symbol_of(*launch->kernel, form);
    if (!known.insert(symbol).second) continue;
    kernels.push_back({.kernel = launch->kernel.get(), .form = form, .symbol = std::move(symbol)});
  }
  return kernels;
}

DevicePlan prepare(Plan& plan, Gpu& gpu) {
  return Preparation(plan, gpu).run();
}

}  // namespace wick::runtime::cuda
