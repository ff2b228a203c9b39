#pragma once

// The rules of result inference, one a name in the `infer` column of ir/ops.def. Internal to ir/.

#include <initializer_list>
#include <string>

#include "wick/ir/op.h"

namespace wick::ir {

/// One call of infer_type.
struct Inference {
  OpKind op;
  OperandTypes operands;
  const Attributes& attributes;
  const Location& where;

  [[nodiscard]] const Type& operand(size_t i) const { return *operands[i]; }

  [[noreturn]] void fail(const std::string& text) const;

  /// `most` -1: any number.
  void require_count(int least, int most) const;
  /// Attributes that the op cannot do without.
  [[nodiscard]] const std::vector<int64_t>& required_integers(std::string_view name) const;
  [[nodiscard]] Shape required_shape(std::string_view name) const;
  [[nodiscard]] DType required_dtype(std::string_view name) const;
  /// A list with one number for each of `count` axes; `fallback` for each where absent.
  [[nodiscard]] std::vector<int64_t> per_axis(std::string_view name,
                                              int count,
                                              int64_t fallback) const;
  /// The attribute `axis`, within a type's axes.
  [[nodiscard]] int axis_of(const Type& type) const;
  void require_same_dtype(const Type& a, const Type& b) const;
  /// The string attribute `name`, one of `choices`; the first where it is absent.
  void require_choice(std::string_view name, std::initializer_list<std::string_view> choices) const;
  void require_float(const Type& type) const;
};

using InferRule = Type (*)(const Inference&);

// Each name of the column; several ops share one.
Type infer_same(const Inference& call);
Type infer_numeric(const Inference& call);
Type infer_cast(const Inference& call);
Type infer_bitcast(const Inference& call);
Type infer_compare(const Inference& call);
Type infer_where(const Inference& call);
Type infer_reduce(const Inference& call);
Type infer_arg_reduce(const Inference& call);
Type infer_broadcast(const Inference& call);
Type infer_reshape(const Inference& call);
Type infer_permute(const Inference& call);
Type infer_slice(const Inference& call);
Type infer_concat(const Inference& call);
Type infer_pad(const Inference& call);
Type infer_gather(const Inference& call);
Type infer_scatter(const Inference& call);
Type infer_scan(const Inference& call);
Type infer_argsort(const Inference& call);
Type infer_barrier(const Inference& call);
Type infer_matmul(const Inference& call);
Type infer_conv(const Inference& call);
Type infer_conv_input_grad(const Inference& call);
Type infer_conv_weight_grad(const Inference& call);
Type infer_max_pool2d(const Inference& call);
Type infer_avg_pool2d(const Inference& call);
Type infer_max_pool2d_grad(const Inference& call);
Type infer_avg_pool2d_grad(const Inference& call);
Type infer_constant(const Inference& call);
Type infer_iota(const Inference& call);
Type infer_random_bits(const Inference& call);
Type infer_custom(const Inference& call);
Type infer_parameter(const Inference& call);
Type infer_fusion(const Inference& call);

/// False where the elements of `shape` are more than an int64 can count in bytes.
bool is_countable(const Shape& shape);

}  // namespace wick::ir
