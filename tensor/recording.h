#pragma once

// What the op functions share: from tensors and C++ numbers to recorded nodes. Internal.

#include <optional>
#include <source_location>
#include <span>

#include "wick/tensor/ops.h"
#include "wick/tensor/shared_attributes.h"

namespace wick::detail {

/// An integer or real number on its way into a tensor's dtype.
struct Number {
  bool is_integer = false;
  int64_t integer = 0;
  double real = 0;

  Number(int64_t value)  // NOLINT(google-explicit-constructor): reads as the number.
      : is_integer(true),
        integer(value),
        real(static_cast<double>(value)) {}

  Number(double value) : real(value) {}  // NOLINT(google-explicit-constructor)

  explicit Number(const Operand& operand)
      : is_integer(operand.is_integer),
        integer(operand.integer),
        real(operand.real) {}
};

/// The number's bits in `dtype`, low bytes first; empty when it does not fit (a fraction or a
/// number out of range for integers, anything but 0 and 1 for bool).
std::optional<uint64_t> bits_of(const Number& number, DType dtype);

/// A rank-0 operand of this value: a scalar leaf, or, for numbers that simplifications look for (0,
/// 1, -1, 2 and 0.5), a constant shared by the process. Error naming `partner`, whose dtype it
/// takes, when the number does not fit.
Ref<Node> number_node(ir::OpKind op, const Number& number, const Type& partner, Where where);
/// A constant that is part of the program whatever its value.
Ref<Node> constant_node(DType dtype, const Number& number, Where where);
/// The shared constant for a number that simplifications look for; null for others.
Ref<Node> shared_constant(DType dtype, const Number& number);

/// A number out of an option: beside integers a whole one stays an integer, where a fraction makes
/// floats of them.
Operand number_beside(const Tensor& x, double value, Where where);

/// The tensor's node; Error for an undefined tensor. `position` counts operands from 1.
const Ref<Node>& node_of(ir::OpKind op, const Tensor& tensor, int position, Where where);

Tensor record_unary(ir::OpKind op,
                    const Tensor& x,
                    Where where,
                    Ref<const SharedAttributes> attributes = nullptr);
/// Numbers take the other operand's dtype.
Tensor record_binary(ir::OpKind op, const Operand& a, const Operand& b, Where where);
/// a = a op b: the reference that `a` held becomes the operand's.
void record_update(ir::OpKind op, Tensor& a, const Operand& b);
Tensor record_where(const Tensor& condition, const Operand& y, const Operand& z, Where where);
Tensor record_nodes(ir::OpKind op,
                    std::span<const Ref<Node>> operands,
                    Ref<const SharedAttributes> attributes,
                    Where where);

/// A negative axis counts from the end. Error when out of range.
int normalize_axis(ir::OpKind op, int64_t axis, const Type& type, Where where);
/// All axes when empty; negative ones counted from the end; sorted. Error for an axis out of range
/// or named twice.
Axes normalize_axes(ir::OpKind op, const Axes& axes, const Type& type, Where where);

/// Ops recorded while it lives are constants to autograd.
class HistoryPause {
 public:
  HistoryPause() : previous_(grad_mode()) { set_grad_mode(false); }

  ~HistoryPause() { set_grad_mode(previous_); }

  HistoryPause(const HistoryPause&) = delete;
  HistoryPause& operator=(const HistoryPause&) = delete;

 private:
  bool previous_;
};

}  // namespace wick::detail
