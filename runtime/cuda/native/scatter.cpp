// Scatter in all its modes.

#include <algorithm>
#include <bit>
#include <cmath>

#include "wick/codegen/cuda/type_names.h"
#include "wick/ir/axis_split.h"
#include "wick/runtime/cuda/native/stable_sort.h"
#include "wick/runtime/cuda/native/texts.h"

namespace wick::runtime::cuda {
namespace {

/// In combine.cuh.
std::string_view combine_of_mode(std::string_view mode) {
  if (mode.empty() || mode == "add") return "Add";
  if (mode == "mul") return "Multiply";
  if (mode == "max") return "Maximum";
  if (mode == "min") return "Minimum";
  return "Replace";
}

/// See ScatterParameters. Short rows are sooner done one update after another.
int64_t chunk_of(int64_t count, bool last_wins) {
  constexpr int64_t kFewest = 32;
  if (last_wins || count < 4 * kFewest) return count + 1;
  const auto root = static_cast<uint64_t>(std::sqrt(static_cast<double>(count)));
  return std::max(kFewest, static_cast<int64_t>(std::bit_ceil(root)));
}

}  // namespace

std::optional<NativeProgram> make_scatter_program(const LibraryOp& op, const NativeLimits& limits) {
  if (op.op != ir::OpKind::scatter || op.attributes.flag("along")) return std::nullopt;
  const Type& indices = op.operands[1];
  const Type& updates = op.operands[2];
  const DType dtype = op.result.dtype;
  const std::string_view combine = combine_of_mode(op.attributes.text("mode"));
  const ir::AxisSplit split = ir::split_at(op.result.shape, op.attributes.integer("axis", 0));
  const int64_t count = indices.numel();
  if (std::max(split.extent, count) >= kLongestSorted - 1) return std::nullopt;
  const ScatterParameters scatter{.outer = split.outer,
                                  .extent = split.extent,
                                  .inner = split.inner,
                                  .count = count,
                                  .chunk = chunk_of(count, combine == "Replace")};
  const int64_t positions = std::max({op.result.numel(), updates.numel(), split.extent + 1, count});
  NativeProgram program{
      .name = "native scatter",
      .text = native_text({combine_text,
                           alias("Element", codegen::cuda::memory_type(dtype)),
                           alias("Combine", combine),
                           alias("Source", codegen::cuda::memory_type(indices.dtype)),
                           alias("Key", "u32"),
                           index_alias(positions, limits),
                           scatter_text}),
      .launches = {}};
  if (op.result.numel() == 0) return program;

  SortedBuffers sorted;  // without updates nobody reads them
  if (count > 0) {
    const StableSort sort{.extent = count, .key_argument = split.extent};
    sorted = add_stable_sort(program, sort, operand_buffer(1), limits);
  }
  const BufferArgument starts = program.reserve(static_cast<size_t>(split.extent + 1) * 4);
  program.launches.push_back(native_launch(
      "find_rows", grid_for_threads(split.extent + 1, limits), {sorted.keys, starts}, scatter));
  BufferArgument partials;  // without chunks nobody reads them
  const int64_t num_partials = count / scatter.chunk * split.outer * split.inner;
  if (num_partials > 0) {
    const std::string_view register_type = codegen::cuda::register_type(dtype);
    const size_t bytes = register_type == "float" ? 4 : size_of(dtype);
    partials = program.reserve(static_cast<size_t>(num_partials) * bytes);
    program.launches.push_back(
        native_launch("combine_chunks",
                      grid_for_threads(num_partials, limits),
                      {sorted.keys, sorted.positions, operand_buffer(2), partials},
                      scatter));
  }
  program.launches.push_back(native_launch(
      "scatter",
      grid_for_threads(op.result.numel(), limits),
      {operand_buffer(0), starts, sorted.positions, operand_buffer(2), partials, result_buffer()},
      scatter));
  return program;
}

}  // namespace wick::runtime::cuda
