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

/// Of elements' numbers, for the text of all three ops on maxima.
DType number_dtype(const LibraryOp& op) {
  if (is_argmax(op.attributes)) return op.result.dtype;
  return op.op == OpKind::max_pool2d_grad ? op.operands[0].dtype : DType::u8;
}

const char* symbol_of(const LibraryOp& op) {
  switch (op.op) {
    case OpKind::max_pool2d:
      return is_argmax(op.attributes) ? "argmax_pool" : "max_pool";
    case OpKind::max_pool2d_grad:
      return "max_pool_grad";
    case OpKind::avg_pool2d:
      return "avg_pool";
    default:
      return "avg_pool_grad";
  }
}

}  // namespace

std::optional<NativeProgram> make_pooling_program(const LibraryOp& op, const NativeLimits& limits) {
  if (!ir::has(op.op, ir::kPooling)) return std::nullopt;
  const bool is_average = op.op == OpKind::avg_pool2d || op.op == OpKind::avg_pool2d_grad;
  const bool is_gradient = op.op == OpKind::max_pool2d_grad || op.op == OpKind::avg_pool2d_grad;
  const Type& in = is_gradient ? op.result : op.operands[0];
  const Type& out = is_gradient ? op.operands.back() : op.result;
  if (in.shape.ndim() != 4) return std::nullopt;  // channels in blocks are a layout for CPUs

  const PoolParameters pool = pool_parameters(pool_shape(op.attributes, in.shape, out.shape));
  const int64_t positions = most_positions(pool, in.numel(), out.numel());
  const std::string_view number = codegen::cuda::memory_type(number_dtype(op));
  NativeProgram program{.name = "native pooling",
                        .text = native_text({alias("Element", codegen::cuda::memory_type(in.dtype)),
                                             is_average ? "" : alias("Number", number),
                                             index_alias(positions, limits),
                                             is_average ? avg_pool_text : max_pool_text}),
                        .launches = {}};
  if (op.result.numel() == 0) return program;

  std::vector<BufferArgument> buffers;
  for (size_t i = 0; i < op.operands.size(); ++i)
    buffers.push_back(operand_buffer(i));
  buffers.push_back(result_buffer());
  program.launches.push_back(native_launch(
      symbol_of(op), grid_for_threads(op.result.numel(), limits), std::move(buffers), pool));
  return program;
}

}  // namespace wick::runtime::cuda
