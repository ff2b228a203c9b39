#include "wick/runtime/matmul_shape.h"

namespace wick::runtime {
namespace {

/// Offset of one operand for each position of the broadcast leading axes.
std::vector<int64_t> batch_offsets(const Shape& operand, const Shape& result) {
  const int batch_axes = result.ndim() - 2;
  const int missing = result.ndim() - operand.ndim();
  const std::vector<int64_t> strides = row_major_strides(operand);
  std::vector<int64_t> offsets{0};
  for (int axis = 0; axis < batch_axes; ++axis) {
    const int own = axis - missing;
    const bool repeated = own < 0 || operand[own] == 1;
    const int64_t stride = repeated ? 0 : strides[static_cast<size_t>(own)];
    std::vector<int64_t> next;
    next.reserve(offsets.size() * static_cast<size_t>(result[axis]));
    for (const int64_t offset : offsets) {
      for (int64_t i = 0; i < result[axis]; ++i)
        next.push_back(offset + i * stride);
    }
    offsets = std::move(next);
  }
  return offsets;
}

/// Whether there are any, each so far behind the one before.
bool is_contiguous(const std::vector<int64_t>& offsets, int64_t step) {
  if (offsets.empty()) return false;
  for (size_t i = 1; i < offsets.size(); ++i) {
    if (offsets[i] - offsets[i - 1] != step) return false;
  }
  return true;
}

}  // namespace

MatmulShape matmul_shape(const LibraryOp& op) {
  const Shape& lhs = op.operands[0].shape;
  const Shape& result = op.result.shape;
  const int rank = result.ndim();
  MatmulShape shape;
  shape.transpose_lhs = op.attributes.flag("transpose_lhs");
  shape.transpose_rhs = op.attributes.flag("transpose_rhs");
  shape.m = result[rank - 2];
  shape.n = result[rank - 1];
  shape.k = lhs[lhs.ndim() - (shape.transpose_lhs ? 2 : 1)];
  shape.lhs_offsets = batch_offsets(lhs, result);
  shape.rhs_offsets = batch_offsets(op.operands[1].shape, result);
  const bool one_rhs = is_contiguous(shape.rhs_offsets, 0);
  if (!shape.transpose_lhs && one_rhs && is_contiguous(shape.lhs_offsets, shape.m * shape.k)) {
    shape.m *= shape.batch();
    shape.lhs_offsets = {0};
    shape.rhs_offsets = {0};
  }
  return shape;
}

bool has_epilogue(const LibraryOp& op) {
  return op.operands.size() > 2 || op.attributes.has("activation");
}

}  // namespace wick::runtime
