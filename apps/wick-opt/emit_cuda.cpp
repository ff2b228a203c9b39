#include "emit_cuda.h"

#include <set>

#include "wick/codegen/cuda/program_text.h"
#include "wick/codegen/lower.h"

namespace wick::tools {

std::string emit_cuda(const ir::Graph& graph) {
  std::string text;
  std::set<std::string> seen;
  for (const ir::Node* node = graph.first(); node != nullptr; node = node->next()) {
    if (node->op() != ir::OpKind::fusion) continue;
    for (const codegen::KernelLaunch& launch : codegen::lower(*node).launches) {
      const codegen::Kernel& kernel = *launch.kernel;
      const codegen::cuda::KernelForm form = codegen::cuda::choose_form(kernel, launch.params);
      if (!seen.insert(symbol_of(kernel, form)).second) continue;
      text += codegen::cuda::kernel_text({.kernel = &kernel, .form = form, .symbol = kernel.name});
    }
  }
  return text;
}

}  // namespace wick::tools
