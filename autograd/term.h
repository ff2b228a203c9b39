#pragma once

// Gradient rules read as algebra: a Term is a tensor that remembers which line the ops made from it
// belong to, namely that of the forward op.

#include <source_location>
#include <utility>

#include "wick/ir/attributes.h"
#include "wick/ir/op.h"
#include "wick/tensor/tensor.h"

namespace wick::autograd {

struct Term {
  Tensor tensor;
  std::source_location where;

  [[nodiscard]] bool defined() const { return tensor.defined(); }

  [[nodiscard]] const Shape& shape() const { return tensor.shape(); }

  [[nodiscard]] DType dtype() const { return tensor.dtype(); }
};

// Records any op of the table, attributes as they stand.
Term apply(ir::OpKind op, std::initializer_list<Term> operands, ir::Attributes attributes = {});

Term operator-(const Term& a);
Term operator+(const Term& a, const Term& b);
Term operator-(const Term& a, const Term& b);
Term operator*(const Term& a, const Term& b);
Term operator/(const Term& a, const Term& b);
Term operator+(const Term& a, double b);
Term operator-(double a, const Term& b);
Term operator-(const Term& a, double b);
Term operator*(const Term& a, double b);

// Comparisons are named: operators on Terms compute values only.
Term equal(const Term& a, const Term& b);
Term equal(const Term& a, double b);
Term less(const Term& a, const Term& b);
Term greater_equal(const Term& a, double b);
Term both(const Term& a, const Term& b);

/// y where the condition is true, else z.
Term select(const Term& condition, const Term& y, const Term& z);
Term select(const Term& condition, const Term& y, double z);
Term select(const Term& condition, double y, const Term& z);

Term exp(const Term& x);
Term log(const Term& x);
Term sin(const Term& x);
Term cos(const Term& x);
Term floor(const Term& x);
Term sign(const Term& x);
Term pow(const Term& x, const Term& exponent);
Term cast(const Term& x, DType dtype);

/// Over these axes, kept with extent 1; no axes: x itself.
Term sum_keeping(const Term& x, const Axes& axes);
/// x itself where the shape already fits.
Term reshape(const Term& x, const Shape& shape);
Term broadcast_to(const Term& x, const Shape& shape);
Term permute(const Term& x, const Axes& axes);

struct SliceBounds {
  Axes starts;
  Axes sizes;
  Axes steps;
};

Term slice(const Term& x, SliceBounds bounds);

struct PadWidths {
  Axes low;
  Axes high;
  Axes interior;
};

Term pad(const Term& x, PadWidths widths, double value = 0);

/// Sums a gradient over the axes that broadcasting added or stretched.
Term sum_to(const Term& x, const Shape& shape);

/// The zeros, or another constant, of a shape.
Term filled(const Shape& shape, double value, DType dtype, std::source_location where);

}  // namespace wick::autograd
