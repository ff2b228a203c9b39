#pragma once

// The backends that come with Wick.

#include <memory>

#include "wick/runtime/backend.h"

namespace wick::runtime {

/// The CPU: passes, kernels by LLVM, library calls, under a memory plan.
std::unique_ptr<Backend> make_llvm_backend();
/// The reference interpreter on the graph as recorded; no passes.
std::unique_ptr<Backend> make_interpreter_backend();

/// A GPU: `name` is "cuda", "cuda:1", or "cuda:sm_90" for plans that are only looked at. Null for
/// other names. Throws Error naming what is missing where Wick was built without CUDA.
std::unique_ptr<Backend> make_cuda_backend(std::string_view name);

/// Ops that compute something, and the bytes of their results: the part of a summary that is
/// counted before the passes.
void count_recorded(const ir::Graph& graph, ProgramSummary& summary);

}  // namespace wick::runtime
