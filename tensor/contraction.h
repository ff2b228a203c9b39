#pragma once

// Sums of products of tensors with labelled axes: what einsum and tensordot are made of. Internal.

#include <cstdint>
#include <span>
#include <vector>

#include "wick/tensor/ops.h"

namespace wick::detail {

/// A tensor whose axes carry labels, each at most once.
struct LabelledTensor {
  Tensor tensor;
  std::vector<int> labels;

  [[nodiscard]] bool has(int label) const { return axis_of(label) >= 0; }

  [[nodiscard]] int axis_of(int label) const;  // -1: none
  [[nodiscard]] int64_t extent(int label) const;
};

/// The product of the operands, at least one, summed over the labels that `output` lacks, with the
/// axes of `output`. The extents of a label are equal but for those of 1, which broadcast; each
/// label of the output is an operand's. Of more than two operands the pair whose product saves most
/// memory goes first. The dtype is that of a product of all.
Tensor contract(std::vector<LabelledTensor> operands, std::span<const int> output, Where where);

}  // namespace wick::detail
