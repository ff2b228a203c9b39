// Argsort along an axis.

#include "wick/codegen/cuda/type_names.h"
#include "wick/ir/axis_split.h"
#include "wick/runtime/cuda/native/stable_sort.h"
#include "wick/runtime/cuda/native/texts.h"

namespace wick::runtime::cuda {

std::optional<NativeProgram> make_argsort_program(const LibraryOp& op, const NativeLimits& limits) {
  if (op.op != ir::OpKind::argsort) return std::nullopt;
  const int64_t axis = op.attributes.integer("axis", 0);
  const ir::AxisSplit split = ir::split_at(op.operands[0].shape, axis);
  if (split.extent >= kLongestSorted) return std::nullopt;
  const DType dtype = op.operands[0].dtype;
  const StableSort sort{.lanes = split.outer * split.inner,
                        .extent = split.extent,
                        .inner = split.inner,
                        .key_bytes = size_of(dtype) == 8 ? size_t{8} : 4,
                        .key_argument = op.attributes.flag("descending") ? -1 : 0};
  NativeProgram program{.name = "native argsort",
                        .text = native_text({alias("Source", codegen::cuda::memory_type(dtype)),
                                             alias("Key", sort.key_bytes == 8 ? "u64" : "u32"),
                                             index_alias(op.operands[0].numel(), limits),
                                             argsort_text}),
                        .launches = {}};
  if (op.result.numel() == 0) return program;

  const ArgsortParameters parameters{.sort = sort_parameters(sort, limits),
                                     .start = op.attributes.integer("start", 0),
                                     .count = op.result.shape[static_cast<int>(axis)]};
  if (is_one_tile(parameters.sort)) {
    program.launches.push_back(
        native_launch("argsort_rows",
                      shape_for_tiles(parameters.sort, sort.key_bytes, limits),
                      {operand_buffer(0), result_buffer()},
                      parameters));
    return program;
  }
  const SortedBuffers sorted = add_stable_sort(program, sort, operand_buffer(0), limits);
  program.launches.push_back(native_launch("write_positions",
                                           grid_for_threads(op.result.numel(), limits),
                                           {sorted.positions, result_buffer()},
                                           parameters));
  return program;
}

}  // namespace wick::runtime::cuda
