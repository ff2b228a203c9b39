// The backend "c": Wick's pipeline, plan and library calls, with kernels that a C compiler makes.

#include "wick/passes/plugin.h"

#include "c_compiler.h"

#include "wick/runtime/compile_by_plan.h"

namespace {

class CBackend final : public wick::runtime::Backend {
 public:
  [[nodiscard]] std::string_view name() const override { return "c"; }

  std::unique_ptr<wick::runtime::Executable> compile(
      std::unique_ptr<wick::ir::Graph> graph, wick::runtime::CompileRecord* record) override {
    return wick::runtime::compile_by_plan(std::move(graph), {.kernels = &kernels_}, record);
  }

 private:
  c_backend::CKernels kernels_;
};

}  // namespace

WICK_PLUGIN("c-backend", "1.0") {
  wick::runtime::register_backend(std::make_unique<CBackend>());
}
