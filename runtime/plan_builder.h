#pragma once

// From an optimized graph to a plan.

#include "wick/codegen/kernel_provider.h"
#include "wick/runtime/plan.h"

namespace wick::runtime {

/// make_host_call.
std::unique_ptr<LibraryCall> host_library(const LibraryOp& op, int threads);

struct PlanOptions {
  /// How fusions run: as machine code, or by the interpreters that tell which layer is wrong.
  enum class Fusions : uint8_t { compile, interpret_kernels, interpret_bodies };
  Fusions fusions = Fusions::compile;
  /// Null: LLVM, by way of the process's codegen::KernelCache.
  codegen::KernelProvider* kernels = nullptr;
  /// What runs ops outside of fusions; null where nothing does but the interpreter.
  std::unique_ptr<LibraryCall> (*library)(const LibraryOp& op, int threads) = host_library;
  /// Whose default pipeline a graph goes through; empty: that of the backend in force.
  std::string_view backend = {};
  /// Whether launches may run side by side; a device runs them in the order of its stream.
  bool side_by_side = true;
};

/// The graph has been through a pipeline. Works without the plan-memory pass too, at one arena
/// block a value. Throws Error naming op and line when a step cannot be made.
std::unique_ptr<Plan> build_plan(const ir::Graph& graph, const PlanOptions& options);

}  // namespace wick::runtime
