#include <cmath>
#include <limits>
#include <string_view>

#include <fmt/format.h>

#include "wick/ir/format.h"
#include "wick/tensor/linalg.h"
#include "wick/tensor/linalg_recording.h"
#include "wick/tensor/op_arguments.h"

namespace wick::linalg {
namespace {

void require_matrix(std::string_view op, const Tensor& a, Where where) {
  if (!a.defined()) throw Error(where, op, "operand 1 is an undefined tensor");
  if (a.ndim() < 2) throw Error(where, op, fmt::format("needs matrices, got {}", a.type()));
}

Tensor equals_zero(const Tensor& x, Where where) {
  return Operand(x, where) == 0;
}

/// x^exponent of x >= 0, where a 0 stays and passes no gradient.
Tensor power_or_zero(const Tensor& x, double exponent, Where where) {
  const Tensor is_zero = equals_zero(x, where);
  const Tensor base = wick::where(is_zero, Operand(1, where), x);
  const Tensor power = exponent == 0.5 ? sqrt(base, where) : pow(base, exponent, where);
  return wick::where(is_zero, Operand(0, where), power);
}

bool is_smallest(MatrixNorm order) {
  return order == MatrixNorm::smallest_two || order == MatrixNorm::smallest_one ||
         order == MatrixNorm::smallest_inf;
}

/// Of one value a matrix: extreme of the singular values or of the sums of rows or columns.
Tensor extreme(const Tensor& values, int axis, MatrixNorm order, Where where) {
  return is_smallest(order) ? min(values, {axis}, false, where) : max(values, {axis}, false, where);
}

Tensor norm_of(const Tensor& a, MatrixNorm order, Where where) {
  switch (order) {
    case MatrixNorm::frobenius:
      return vector_norm(a, 2, {-2, -1}, false, where);
    case MatrixNorm::nuclear:
      return sum(svdvals(a, where), {-1}, false, where);
    case MatrixNorm::two:
    case MatrixNorm::smallest_two:
      return extreme(svdvals(a, where), -1, order, where);
    case MatrixNorm::one:
    case MatrixNorm::smallest_one:
      return extreme(sum(abs(a, where), {-2}, false, where), -1, order, where);
    case MatrixNorm::inf:
    case MatrixNorm::smallest_inf:
      return extreme(sum(abs(a, where), {-1}, false, where), -1, order, where);
  }
  throw Error(where, "linalg.matrix_norm", fmt::format("no norm {}", static_cast<int>(order)));
}

}  // namespace

Tensor vector_norm(const Tensor& x, double order, Axes axes, bool keepdims, Where where) {
  if (!x.defined()) throw Error(where, "linalg.vector_norm", "operand 1 is an undefined tensor");
  if (!is_float(x.dtype())) {
    throw Error(where, "linalg.vector_norm", fmt::format("needs floats, got {}", x.type()));
  }
  detail::reduced_axes(
      "linalg.vector_norm", axes, x.type(), where);  // for errors that name this op
  if (is_half(x.dtype())) {
    return cast(
        vector_norm(cast(x, DType::f32, where), order, axes, keepdims, where), x.dtype(), where);
  }
  const Tensor size = abs(x, where);
  if (std::isinf(order)) {
    return order > 0 ? max(size, axes, keepdims, where) : min(size, axes, keepdims, where);
  }
  if (order == 1) return sum(size, axes, keepdims, where);
  if (order == 0) {
    return sum(cast(Operand(x, where) != 0, x.dtype(), where), axes, keepdims, where);
  }
  if (order == 2) {
    return power_or_zero(sum(square(x, where), axes, keepdims, where), 0.5, where);
  }
  if (order < 0) {  // a 0 makes the norm 0
    return pow(sum(pow(size, order, where), axes, keepdims, where), 1 / order, where);
  }
  const Tensor powers = power_or_zero(size, order, where);
  return power_or_zero(sum(powers, axes, keepdims, where), 1 / order, where);
}

Tensor matrix_norm(const Tensor& a, MatrixNorm order, bool keepdims, Where where) {
  require_matrix("linalg.matrix_norm", a, where);
  const Tensor norm = norm_of(a, order, where);
  return keepdims ? unsqueeze(unsqueeze(norm, -1, where), -1, where) : norm;
}

Tensor matrix_rank(const Tensor& a, std::optional<double> rtol, Where where) {
  require_matrix("linalg.matrix_rank", a, where);
  const detail::LinalgOp op("linalg.svdvals", {a}, where);
  const Tensor s = op.record();
  if (s.size(-1) == 0) return sum(cast(s, DType::i64, where), {-1}, false, where);
  const Tensor largest = slice(s, -1, 0, 1, 1, where);
  const double tolerance = rtol.value_or(op.default_tolerance());
  return sum(Operand(s, where) > Operand(largest, where) * tolerance, {-1}, false, where);
}

Tensor cond(const Tensor& a, MatrixNorm order, Where where) {
  require_matrix("linalg.cond", a, where);
  if (order == MatrixNorm::two || order == MatrixNorm::smallest_two) {
    const Tensor s = svdvals(a, where);
    const Tensor largest = extreme(s, -1, MatrixNorm::two, where);
    const Tensor smallest = extreme(s, -1, MatrixNorm::smallest_two, where);
    return order == MatrixNorm::two ? Operand(largest, where) / smallest
                                    : Operand(smallest, where) / largest;
  }
  return Operand(matrix_norm(a, order, false, where), where) *
         matrix_norm(inv(a, where), order, false, where);
}

}  // namespace wick::linalg
