#include "wick/runtime/built_in_backends.h"
#include "wick/runtime/compile_by_plan.h"

namespace wick::runtime {
namespace {

class LlvmBackend final : public Backend {
 public:
  std::string_view name() const override { return "llvm"; }

  std::unique_ptr<Executable> compile(std::unique_ptr<ir::Graph> graph,
                                      CompileRecord* record) override {
    return compile_by_plan(std::move(graph), {.backend = name()}, record);
  }
};

}  // namespace

std::unique_ptr<Backend> make_llvm_backend() {
  return std::make_unique<LlvmBackend>();
}

}  // namespace wick::runtime
