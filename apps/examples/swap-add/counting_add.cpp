#include "counting_add.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <type_traits>

#include "ledger.h"

#include "wick/ir/custom_op.h"

namespace swap_add {
namespace {

using wick::Shape;

/// Floats round once, integers wrap, bools are joined by or: as the built-in op.
template <typename T>
T sum_of(T x, T y) {
  if constexpr (std::is_same_v<T, bool>) {
    return x || y;
  } else if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(static_cast<uint64_t>(x) + static_cast<uint64_t>(y));
  } else if constexpr (sizeof(T) == 2) {
    return T(static_cast<float>(x) + static_cast<float>(y));
  } else {
    return x + y;
  }
}

/// Where the row of `operand` begins that row `row` of the result reads.
int64_t row_start(const Shape& operand, const Shape& result, int64_t row) {
  const int added = result.ndim() - operand.ndim();
  int64_t start = 0;
  int64_t stride = operand.ndim() == 0 ? 1 : operand[operand.ndim() - 1];
  for (int axis = result.ndim() - 2; axis >= added; --axis) {
    const int64_t extent = operand[axis - added];
    if (extent != 1) start += row % result[axis] * stride;
    stride *= extent;
    row /= result[axis];
  }
  return start;
}

/// 0 where the last axis of the result repeats the operand's only element along it.
int64_t row_step(const Shape& operand, int64_t columns) {
  return operand.ndim() > 0 && operand[operand.ndim() - 1] == columns ? 1 : 0;
}

template <typename T>
void add_rows(const void* const* operands, void* result, const wick::ir::CustomCallInfo& info) {
  const Shape& x_shape = info.operands[0].shape;
  const Shape& y_shape = info.operands[1].shape;
  const Shape& shape = info.result.shape;
  const bool is_flat = x_shape == shape && y_shape == shape;
  const int64_t count = shape.numel();
  const int64_t columns = is_flat || shape.ndim() == 0 ? count : shape[shape.ndim() - 1];
  const int64_t x_step = is_flat ? 1 : row_step(x_shape, columns);
  const int64_t y_step = is_flat ? 1 : row_step(y_shape, columns);
  auto* sums = static_cast<T*>(result);
  for (int64_t row = 0; count > 0 && row < count / columns; ++row, sums += columns) {
    const T* x = static_cast<const T*>(operands[0]) + row_start(x_shape, shape, row);
    const T* y = static_cast<const T*>(operands[1]) + row_start(y_shape, shape, row);
    for (int64_t i = 0; i < columns; ++i)
      sums[i] = sum_of(x[i * x_step], y[i * y_step]);
  }
}

void call(const void* const* operands, void* result, const wick::ir::CustomCallInfo& info) {
  wick::visit_dtype(info.result.dtype, [&]<typename T>() { add_rows<T>(operands, result, info); });
  if (!info.attributes.has("add")) return;  // outside of any program: wick-opt, the interpreter
  Ledger::instance().note_call(info.attributes.integer("program", 0),
                               info.attributes.integer("add", 0),
                               info.result.numel());
}

}  // namespace

void register_counting_add() {
  wick::ir::register_custom_op({.name = std::string(kOpName),
                                .summary = "x + y, counted",
                                .min_operands = 2,
                                .max_operands = 2,
                                .infer =
                                    [](wick::ir::OperandTypes operands,
                                       const wick::ir::Attributes& /*attributes*/,
                                       const wick::Location& where) {
                                      return wick::ir::infer_type(
                                          wick::ir::OpKind::add, operands, {}, where);
                                    },
                                .call = call});
}

}  // namespace swap_add
