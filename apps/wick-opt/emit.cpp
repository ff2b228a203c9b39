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

using TextOfLaunch = std::function<std::string(const codegen::KernelLaunch&)>;

/// The texts of the launches of the graph's fusions in order, one for each key.
std::string of_launches(const ir::Graph& graph,
                        const TextOfLaunch& key_of,
                        const TextOfLaunch& text_of) {
  std::string text;
  std::set<std::string> seen;
  for (const ir::Node* node = graph.first(); node != nullptr; node = node->next()) {
    if (node->op() != ir::OpKind::fusion) continue;
    for (const codegen::KernelLaunch& launch : codegen::lower(*node).launches) {
      if (seen.insert(key_of(launch)).second) text += text_of(launch);
    }
  }
  return text;
}

/// Each distinct kernel once.
std::string of_kernels(const ir::Graph& graph,
                       const std::function<std::string(const codegen::Kernel&)>& text_of) {
  return of_launches(
      graph,
      [](const codegen::KernelLaunch& launch) { return to_string(*launch.kernel, false); },
      [&](const codegen::KernelLaunch& launch) { return text_of(*launch.kernel); });
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
  if (form == "cuda") return of_launches(graph, cuda_symbol, cuda_text);
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
