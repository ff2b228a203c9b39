#include "emit.h"

#include <functional>
#include <set>
#include <stdexcept>

#include "emit_cuda.h"
#include <fmt/format.h>

#include "wick/codegen/kernel_compiler.h"
#include "wick/codegen/lower.h"
#include "wick/ir/dot.h"
#include "wick/ir/printer.h"
#include "wick/passes/options.h"
#include "wick/runtime/plan_builder.h"

namespace wick::tools {

namespace {

/// Each distinct kernel of the graph's fusions once, in order.
std::string of_kernels(const ir::Graph& graph,
                       const std::function<std::string(const codegen::Kernel&)>& text_of) {
  std::string text;
  std::set<std::string> seen;
  for (const ir::Node* node = graph.first(); node != nullptr; node = node->next()) {
    if (node->op() != ir::OpKind::fusion) continue;
    for (const codegen::KernelLaunch& launch : codegen::lower(*node).launches) {
      if (seen.insert(to_string(*launch.kernel, false)).second) text += text_of(*launch.kernel);
    }
  }
  return text;
}

}  // namespace

std::string emit(const ir::Graph& graph, std::string_view form) {
  if (form == "ir") {
    return ir::to_string(graph, {.locations = options().print_locations});
  }
  if (form == "dot") return ir::to_dot(graph);
  if (form == "kernels") {
    return of_kernels(graph, [](const codegen::Kernel& kernel) { return to_string(kernel); });
  }
  if (form == "cuda") return emit_cuda(graph);
  if (form == "llvm") {
    return of_kernels(graph, [](const codegen::Kernel& kernel) {
      return codegen::llvm_compiler().llvm_ir(kernel);
    });
  }
  if (form == "asm") {
    return of_kernels(graph, [](const codegen::Kernel& kernel) {
      return codegen::llvm_compiler().assembly(kernel);
    });
  }
  if (form == "plan") {
    // Without machine code: the plan does not depend on it.
    const runtime::Backend& backend = runtime::find_backend(options().backend);
    return to_string(*runtime::build_plan(graph, backend.planning()));
  }
  throw std::invalid_argument(fmt::format("--emit: unknown form '{}'", form));
}

}  // namespace wick::tools
