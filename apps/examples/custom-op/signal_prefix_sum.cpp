#include <cstdint>
#include <span>
#include <stdexcept>
#include <vector>

#include "my_ops.h"

#include "wick/autograd/custom_op_gradient.h"
#include "wick/ir/custom_op.h"
#include "wick/tensor/custom_op.h"

namespace my_ops {
namespace {

using wick::DType;
using wick::Tensor;
using wick::ir::Attributes;

wick::Type infer(wick::ir::OperandTypes operands,
                 const Attributes& /*attributes*/,
                 const wick::Location& /*where*/) {
  const wick::Type& x = *operands[0];
  const bool fits = (x.dtype == DType::f32 || x.dtype == DType::f64) && x.shape.ndim() > 0;
  if (!fits) throw std::invalid_argument("needs f32 or f64 with an axis, got " + to_string(x));
  return x;
}

template <typename T>
void prefix_sum(const T* x, T* sums, int64_t rows, int64_t columns, bool reverse) {
  for (int64_t row = 0; row < rows; ++row) {
    double sum = 0;
    for (int64_t i = 0; i < columns; ++i) {
      const int64_t at = row * columns + (reverse ? columns - 1 - i : i);
      sum += x[at];
      sums[at] = static_cast<T>(sum);
    }
  }
}

/// Dense row-major buffers, one an operand and one for the result.
void call(const void* const* operands, void* result, const wick::ir::CustomCallInfo& info) {
  const wick::Shape& shape = info.result.shape;
  const int64_t columns = shape[shape.ndim() - 1];
  const int64_t rows = columns == 0 ? 0 : shape.numel() / columns;
  const bool reverse = info.attributes.flag("reverse");
  if (info.result.dtype == DType::f32) {
    const auto* x = static_cast<const float*>(operands[0]);
    prefix_sum(x, static_cast<float*>(result), rows, columns, reverse);
  } else {
    const auto* x = static_cast<const double*>(operands[0]);
    prefix_sum(x, static_cast<double*>(result), rows, columns, reverse);
  }
}

/// Each element is in the sums from it on: the gradient runs the other way.
std::vector<Tensor> gradient(std::span<const Tensor> /*inputs*/,
                             const Tensor& /*output*/,
                             const Tensor& cotangent,
                             const Attributes& attributes) {
  const bool reverse = attributes.flag("reverse");
  return {wick::custom_op("signal.prefix_sum", {cotangent}, {{"reverse", !reverse}})};
}

}  // namespace

void register_signal_prefix_sum() {
  wick::ir::register_custom_op({.name = "signal.prefix_sum",
                                .summary = "sums along the last axis; from its end if `reverse`",
                                .infer = infer,
                                .call = call});
  wick::register_custom_gradient("signal.prefix_sum", gradient);
}

}  // namespace my_ops
