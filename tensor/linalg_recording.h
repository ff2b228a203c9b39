#pragma once

// How the linalg functions record the ops named linalg.*. Internal.

#include <initializer_list>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "wick/ir/attributes.h"
#include "wick/tensor/ops.h"

namespace wick::detail {

/// An op of a library. Its operands are promoted, and halves cast to f32; `rounded` casts results
/// back to the promoted dtype.
class LinalgOp {
 public:
  /// With two operands, their batches are broadcast. `name` is that of the op, `linalg.inv`.
  LinalgOp(std::string_view name, std::initializer_list<Tensor> operands, Where where);

  [[nodiscard]] Tensor record(ir::Attributes attributes = {}) const;
  [[nodiscard]] Tensor rounded(const Tensor& result) const;

  /// What is left of an operand's value by rounding, times its larger extent.
  [[nodiscard]] double default_tolerance() const;

 private:
  std::string_view name_;
  std::vector<Tensor> operands_;
  DType dtype_;
  Where where_;
};

/// The tensors packed one after the other in the last axis, by their axes after those of the batch.
std::vector<Tensor> unpacked(const Tensor& packed, std::span<const Axes> extents, Where where);

}  // namespace wick::detail
