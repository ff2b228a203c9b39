#include <fmt/format.h>

#include "wick/ir/format.h"
#include "wick/tensor/linalg.h"
#include "wick/tensor/linalg_recording.h"

namespace wick::linalg {
namespace {

using detail::LinalgOp;

/// Whether b holds one vector for each matrix of a.
bool is_vector(const Tensor& a, const Tensor& b) {
  if (!a.defined() || !b.defined() || a.ndim() == 0) return false;  // which the op reports
  const Shape rows(a.shape().extents().first(static_cast<size_t>(a.ndim()) - 1));
  return b.ndim() == 1 || b.shape() == rows;
}

Tensor solve_columns(std::string_view name,
                     const Tensor& a,
                     const Tensor& b,
                     ir::Attributes attributes,
                     Where where) {
  const bool vector = is_vector(a, b);
  const LinalgOp op(name, {a, vector ? unsqueeze(b, -1, where) : b}, where);
  const Tensor x = op.rounded(op.record(std::move(attributes)));
  return vector ? squeeze(x, -1, where) : x;
}

double tolerance_of(const LinalgOp& op, std::optional<double> given) {
  return given.value_or(op.default_tolerance());
}

}  // namespace

Tensor solve(const Tensor& a, const Tensor& b, Where where) {
  return solve_columns("linalg.solve", a, b, {}, where);
}

Tensor solve_triangular(const Tensor& a,
                        const Tensor& b,
                        const TriangularOptions& options,
                        Where where) {
  ir::Attributes attributes;
  if (!options.left) attributes.set("right", true);
  if (options.unit_diagonal) attributes.set("unit_diagonal", true);
  if (options.upper) attributes.set("upper", true);
  if (options.left) {
    return solve_columns("linalg.solve_triangular", a, b, std::move(attributes), where);
  }
  const LinalgOp op("linalg.solve_triangular", {a, b}, where);
  return op.rounded(op.record(std::move(attributes)));
}

Tensor cholesky_solve(const Tensor& b, const Tensor& factor, bool upper, Where where) {
  if (!factor.defined() || factor.ndim() < 2) return solve_triangular(factor, b, {}, where);
  const Tensor transposed = transpose(factor, -2, -1, where);
  const Tensor& lower = upper ? transposed : factor;
  const Tensor half = solve_triangular(lower, b, {}, where);
  return solve_triangular(upper ? factor : transposed, half, {.upper = true}, where);
}

Tensor lstsq(const Tensor& a, const Tensor& b, std::optional<double> rcond, Where where) {
  const double tolerance = tolerance_of(LinalgOp("linalg.lstsq", {a}, where), rcond);
  return solve_columns("linalg.lstsq", a, b, {{"rcond", tolerance}}, where);
}

Tensor inv(const Tensor& a, Where where) {
  const LinalgOp op("linalg.inv", {a}, where);
  return op.rounded(op.record());
}

Tensor pinv(const Tensor& a, std::optional<double> rcond, Where where) {
  const LinalgOp op("linalg.pinv", {a}, where);
  return op.rounded(op.record({{"rcond", tolerance_of(op, rcond)}}));
}

Tensor det(const Tensor& a, Where where) {
  const LinalgOp op("linalg.det", {a}, where);
  return op.rounded(op.record());
}

SlogdetResult slogdet(const Tensor& a, Where where) {
  const LinalgOp op("linalg.slogdet", {a}, where);
  const Tensor packed = op.rounded(op.record());
  return {select(packed, -1, 0, where), select(packed, -1, 1, where)};
}

Tensor matrix_power(const Tensor& a, int64_t n, Where where) {
  if (!a.defined()) throw Error(where, "linalg.matrix_power", "operand 1 is an undefined tensor");
  if (a.ndim() < 2 || a.size(-2) != a.size(-1)) {
    constexpr auto kText = "needs square matrices, got {}";
    throw Error(where, "linalg.matrix_power", fmt::format(kText, a.type()));
  }
  if (n == 0) return broadcast_to(eye(a.size(-1), a.dtype(), where), a.shape(), where);
  Tensor square = n < 0 ? inv(a, where) : a;
  Tensor power;
  for (uint64_t rest = n < 0 ? -static_cast<uint64_t>(n) : static_cast<uint64_t>(n); rest != 0;) {
    if ((rest & 1) != 0) power = power.defined() ? matmul(power, square, where) : square;
    rest >>= 1;
    if (rest != 0) square = matmul(square, square, where);
  }
  return power;
}

}  // namespace wick::linalg
