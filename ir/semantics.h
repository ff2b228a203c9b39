#pragma once

// What each elementwise op and reduction does to single numbers. Internal to ir/.
//
// Floats of any width are computed in double and rounded once by the caller. Integers and bool are
// computed in int64 and wrapped to their dtype by the caller.

#include <cstdint>

#include "wick/ir/op.h"

namespace wick::ir {

using FloatUnary = double (*)(double);
using FloatBinary = double (*)(double, double);
using FloatCompare = bool (*)(double, double);
using IntUnary = int64_t (*)(int64_t);
using IntBinary = int64_t (*)(int64_t x, int64_t y, int bits);  // bits: width of the dtype
using IntCompare = bool (*)(int64_t, int64_t);

/// A row; members that do not apply to the op are null.
struct ElementSemantics {
  FloatUnary float_unary = nullptr;
  IntUnary int_unary = nullptr;
  FloatBinary float_binary = nullptr;
  IntBinary int_binary = nullptr;
  FloatCompare float_compare = nullptr;
  IntCompare int_compare = nullptr;
};

const ElementSemantics& element_semantics(OpKind op);

/// How a reduction combines; argmax only says which of two is better.
struct ReductionSemantics {
  double float_init = 0;
  int64_t int_init = 0;
  FloatBinary float_combine = nullptr;
  int64_t (*int_combine)(int64_t, int64_t) = nullptr;
  FloatCompare float_better = nullptr;
  IntCompare int_better = nullptr;
};

const ReductionSemantics& reduction_semantics(OpKind op);

}  // namespace wick::ir
