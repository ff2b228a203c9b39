#pragma once

// What gradient rules need beside the algebra of wick/tensor/term.h: movement, sums, and any op of
// the table. The line of a term is that of the forward op.

#include <source_location>
#include <utility>

#include "wick/ir/attributes.h"
#include "wick/ir/op.h"
#include "wick/tensor/term.h"

namespace wick::autograd {

using detail::Term;

// Records any op of the table, attributes as they stand.
Term apply(ir::OpKind op, std::initializer_list<Term> operands, ir::Attributes attributes = {});

// Comparisons by name.
Term equal(const Term& a, const Term& b);
Term equal(const Term& a, double b);
Term less(const Term& a, const Term& b);
Term greater_equal(const Term& a, double b);
Term both(const Term& a, const Term& b);

Term sign(const Term& x);

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
