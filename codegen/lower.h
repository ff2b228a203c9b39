#pragma once

// Lowers a fusion node of graph IR to kernels.

#include <memory>
#include <vector>

#include "wick/codegen/kernel_ir.h"
#include "wick/ir/graph.h"

namespace wick::codegen {

/// What a kernel's buffer argument is bound to; nothing needs to be passed for its `own` memory.
struct ArgBinding {
  enum class Kind : uint8_t { operand, result, workspace, own };
  Kind kind = Kind::operand;
  int index = 0;      // operand or result number
  size_t offset = 0;  // bytes into the workspace
};

/// A kernel with everything that a shape decides.
struct KernelLaunch {
  std::shared_ptr<const Kernel> kernel;  // shared with the kernel cache
  std::vector<ArgBinding> args;
  std::vector<int64_t> params;
  int64_t task_extent = 1;    // product of the task dimensions' extents
  int64_t vector_extent = 1;  // extent of an outer vector dimension, 1 for an inner one
  int64_t work_per_task = 1;  // element operations of one task (one row), to size the pieces
  /// Blocks of so many tasks run in order, since each adds to what those before it have left;
  /// blocks are independent of each other.
  int64_t tasks_in_order = 1;
};

struct LoweredFusion {
  std::vector<KernelLaunch> launches;  // in order
  size_t workspace_bytes = 0;          // shared by the launches
};

/// Throws std::logic_error for a body that the fuse pass would not have made.
LoweredFusion lower(const ir::Node& fusion);

}  // namespace wick::codegen
