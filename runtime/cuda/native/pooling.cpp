// Pooling over plain images.

#include <algorithm>

#include "wick/codegen/cuda/type_names.h"
#include "wick/runtime/cuda/native/native_program.h"
#include "wick/runtime/cuda/native/parameters.h"
#include "wick/runtime/cuda/native/texts.h"
#include "wick/runtime/pool_shape.h"

namespace wick::runtime::cuda {
namespace {

using ir::OpKind;

WindowAxis window_axis(const PoolAxis& axis) {
  return {.in = axis.in,
          .out = axis.out,
          .kernel = axis.kernel,
          .stride = axis.stride,
          .padding = axis.padding};
}

PoolParameters pool_parameters(const PoolShape& shape) {
  return {.planes = shape.planes,
          .rows = window_axis(shape.rows),
          .columns = window_axis(shape.columns),
          .exclude_padding = shape.exclude_padding ? 1 : 0};
}

/// Beyond every position that kernels compute.
int64_t most_positions(const PoolParameters& pool, int64_t inputs, int64_t outputs) {
  int64_t most = std::max(inputs, outputs);
  for (const WindowAxis& axis : {pool.rows, pool.columns})
    most = std::max(most, axis.in + axis.kernel + 2 * axis.padding + axis.stride);
  return most;
}

}  // namespace

std::optional<NativeProgram> make_pooling_program(const LibraryOp& op, const NativeLimits& limits) {
  if (!ir::has(op.op, ir::kPooling)) return std::nullopt;
  const bool is_max = op.op == OpKind::max_pool2d || op.op == OpKind::max_pool2d_grad;
  const bool is_gradient = op.op == OpKind::max_pool2d_grad || op.op == OpKind::avg_pool2d_grad;
  const Type& in = is_gradient ? op.result : op.operands[0];
  const Type& out = is_gradient ? op.operands.back() : op.result;
  if (in.shape.ndim() != 4) return std::nullopt;  // channels in blocks are a layout for CPUs

  const PoolParameters pool = pool_parameters(pool_shape(op.attributes, in.shape, out.shape));
  const int64_t positions = most_positions(pool, in.numel(), out.numel());
  const bool is_wide = positions >= limits.wide_from;
  NativeProgram program{.name = "native pooling",
                        .text = native_text({alias("Element", codegen::cuda::memory_type(in.dtype)),
                                             index_alias(positions, limits),
                                             is_max ? max_pool_text : avg_pool_text}),
                        .launches = {}};
  if (op.result.numel() == 0) return program;

  const auto add = [&](const char* symbol, int64_t tasks, std::vector<BufferArgument> buffers) {
    program.launches.push_back(
        native_launch(symbol, grid_for_threads(tasks, limits), std::move(buffers), pool));
  };
  if (op.op == OpKind::max_pool2d_grad) {
    const BufferArgument places =
        program.reserve(static_cast<size_t>(out.numel()) * (is_wide ? 8 : 4));
    add("find_largest", out.numel(), {operand_buffer(0), places});
    add("max_pool_grad", in.numel(), {places, operand_buffer(1), result_buffer()});
  } else {
    const char* symbol = is_max ? "max_pool" : is_gradient ? "avg_pool_grad" : "avg_pool";
    add(symbol, op.result.numel(), {operand_buffer(0), result_buffer()});
  }
  return program;
}

}  // namespace wick::runtime::cuda
