#pragma once

// How the interpreter evaluates each family of ops. Internal to ir/.

#include <cstdint>
#include <span>
#include <vector>

#include "wick/ir/axis_split.h"
#include "wick/ir/convert.h"
#include "wick/ir/literal.h"
#include "wick/ir/op.h"

namespace wick::ir {

/// One call of interpret_op.
struct OpCall {
  OpKind op;
  const Attributes& attributes;
  std::span<const Literal* const> operands;
  const Type& result;

  [[nodiscard]] const Literal& operand(size_t i) const { return *operands[i]; }
};

using InterpretRule = Literal (*)(const OpCall&);

Literal interpret_elementwise(const OpCall& call);
Literal interpret_reduction(const OpCall& call);
Literal interpret_strided(const OpCall& call);  // broadcast, reshape, permute, slice
Literal interpret_concat(const OpCall& call);
Literal interpret_pad(const OpCall& call);
Literal interpret_gather(const OpCall& call);
Literal interpret_scatter(const OpCall& call);
Literal interpret_scan(const OpCall& call);
Literal interpret_argsort(const OpCall& call);
Literal interpret_barrier(const OpCall& call);
Literal interpret_matmul(const OpCall& call);
Literal interpret_conv(const OpCall& call);
Literal interpret_conv_input_grad(const OpCall& call);
Literal interpret_conv_weight_grad(const OpCall& call);
Literal interpret_max_pool2d(const OpCall& call);
Literal interpret_max_pool2d_grad(const OpCall& call);
Literal interpret_avg_pool2d(const OpCall& call);
Literal interpret_avg_pool2d_grad(const OpCall& call);
Literal interpret_constant(const OpCall& call);
Literal interpret_iota(const OpCall& call);
Literal interpret_random_bits(const OpCall& call);
Literal interpret_custom(const OpCall& call);
/// The same with errors that name the place.
Literal interpret_custom_at(const OpCall& call, const Location& where);

/// All elements as double (floats) or int64 (integers and bool).
template <typename Wide>
std::vector<Wide> widen(const Literal& literal) {
  return visit_dtype(literal.type().dtype, [&]<typename T>() {
    const std::span<const T> values = literal.values<T>();
    std::vector<Wide> result(values.size());
    for (size_t i = 0; i < values.size(); ++i) {
      result[i] = convert<Wide>(values[i]);
    }
    return result;
  });
}

/// Rounds once, or wraps, to the result's dtype.
template <typename Wide>
Literal narrow(std::span<const Wide> values, const Type& type) {
  Literal result(type);
  visit_dtype(type.dtype, [&]<typename T>() {
    const std::span<T> out = result.mutable_values<T>();
    for (size_t i = 0; i < out.size(); ++i) {
      out[i] = convert<T>(values[i]);
    }
  });
  return result;
}

template <typename Wide>
Literal narrow(const std::vector<Wide>& values, const Type& type) {
  return narrow(std::span<const Wide>(values), type);
}

/// Calls `visitor.template operator()<Wide>()` with double for floats and int64_t for others.
template <typename Visitor>
decltype(auto) visit_wide(DType dtype, Visitor&& visitor) {
  if (is_float(dtype)) return visitor.template operator()<double>();
  return visitor.template operator()<int64_t>();
}

}  // namespace wick::ir
