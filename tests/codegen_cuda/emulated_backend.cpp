#include "emulated_backend.h"

#include <array>
#include <stdexcept>
#include <utility>

#include "wick/codegen/kernel_provider.h"
#include "wick/runtime/compile_by_plan.h"

namespace wick::codegen::cuda::test {

namespace {

/// Kernels of a process; each has a function of its own, as machine code would.
constexpr size_t kMostKernels = 8192;

struct State {
  std::vector<std::shared_ptr<const Kernel>> kernels;
  std::map<std::string, size_t> numbers;
  EmulatedKernels texts;
  bool emulates = false;
};

State& state() {
  static State the_state;
  return the_state;
}

template <size_t Number>
void run_kernel(void* const* buffers,
                const int64_t* params,
                int64_t task_begin,
                int64_t task_end,
                int64_t vector_begin,
                int64_t vector_end) {
  const std::shared_ptr<const Kernel>& kernel = state().kernels[Number];
  const std::span table(params, static_cast<size_t>(kernel->num_params));
  if (state().emulates) {
    state().texts.run(*kernel, table, {buffers, kernel->buffers.size()});
    return;
  }
  state().texts.add(kernel, table);
  interpret(*kernel, buffers, params, task_begin, task_end, vector_begin, vector_end);
}

template <size_t... Numbers>
constexpr std::array<KernelFunction, sizeof...(Numbers)> functions(
    std::index_sequence<Numbers...>) {
  return {&run_kernel<Numbers>...};
}

constexpr auto kFunctions = functions(std::make_index_sequence<kMostKernels>());

class EmulatedProvider final : public KernelProvider {
 public:
  std::vector<ProvidedKernel> provide(std::span<const Kernel* const> kernels) override {
    std::vector<ProvidedKernel> provided;
    for (const Kernel* kernel : kernels) {
      const size_t next = state().kernels.size();
      const auto [known, is_new] = state().numbers.try_emplace(to_string(*kernel, false), next);
      if (is_new) state().kernels.push_back(std::make_shared<Kernel>(*kernel));
      if (known->second >= kMostKernels) throw std::runtime_error("too many kernels to emulate");
      provided.push_back({.function = kFunctions[known->second], .origin = {}});
    }
    return provided;
  }
};

class EmulatedBackend final : public runtime::Backend {
 public:
  [[nodiscard]] std::string_view name() const override { return "cuda-emulated"; }

  std::unique_ptr<runtime::Executable> compile(std::unique_ptr<ir::Graph> graph,
                                               runtime::CompileRecord* record) override {
    return runtime::compile_by_plan(std::move(graph), {.kernels = &provider_}, record);
  }

 private:
  EmulatedProvider provider_;
};

}  // namespace

void register_emulated_backend() {
  runtime::register_backend(std::make_unique<EmulatedBackend>());
}

EmulatedKernels& emulated_kernels() {
  return state().texts;
}

void run_emulated() {
  state().emulates = true;
}

}  // namespace wick::codegen::cuda::test
