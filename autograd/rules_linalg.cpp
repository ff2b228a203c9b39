// Gradients of the ops named linalg.*. They call linalg functions, so they have gradients in turn.
// Formulas: Giles (2008), "Collected matrix derivative results"; Walter, Lehmann and Lamour (2012)
// for QR; Golub and Pereyra (1973) for the pseudoinverse.

#include <algorithm>
#include <vector>

#include "wick/autograd/custom_op_gradient.h"
#include "wick/autograd/term.h"
#include "wick/ir/error.h"
#include "wick/tensor/custom_op.h"
#include "wick/tensor/linalg.h"
#include "wick/tensor/linalg_recording.h"

namespace wick::autograd {
namespace {

using ir::OpKind;

/// One use of an op, as its rule sees it.
struct Use {
  std::span<const Tensor> inputs;
  const Tensor& output;
  const Tensor& cotangent;
  const ir::Attributes& attributes;

  [[nodiscard]] std::source_location where() const { return output.node()->where(); }

  [[nodiscard]] Term term(const Tensor& x) const { return {x, where()}; }

  [[nodiscard]] Term input(size_t i) const { return term(inputs[i]); }

  [[nodiscard]] Term result() const { return term(output); }

  [[nodiscard]] Term gradient() const { return term(cotangent); }

  /// The results and their gradients, of ops that pack several.
  [[nodiscard]] std::vector<Term> unpacked(const Tensor& packed,
                                           std::span<const Axes> extents) const {
    std::vector<Term> terms;
    for (const Tensor& part : detail::unpacked(packed, extents, where()))
      terms.push_back(term(part));
    return terms;
  }
};

Term matmul(const Term& a, const Term& b) {
  return apply(OpKind::matmul, {a, b});
}

/// a^T b.
Term matmul_tn(const Term& a, const Term& b) {
  return apply(OpKind::matmul, {a, b}, {{"transpose_lhs", true}});
}

/// a b^T.
Term matmul_nt(const Term& a, const Term& b) {
  return apply(OpKind::matmul, {a, b}, {{"transpose_rhs", true}});
}

Term transposed(const Term& x) {
  return {transpose(x.tensor, -2, -1, x.where), x.where};
}

int64_t extent(const Term& x, int axis) {
  return x.tensor.size(axis, x.where);
}

/// Position along the rows (axis -2) or columns (axis -1) of a matrix, broadcasting against it.
Term position(const Term& matrix, int axis) {
  const int64_t count = extent(matrix, axis);
  const Shape shape = axis == -1 ? Shape{1, count} : Shape{count, 1};
  return {reshape(arange(count, DType::i64, matrix.where), shape, matrix.where), matrix.where};
}

Term above_diagonal(const Term& x) {
  return less(position(x, -2), position(x, -1));
}

Term below_diagonal(const Term& x) {
  return less(position(x, -1), position(x, -2));
}

Term on_diagonal(const Term& x) {
  return equal(position(x, -2), position(x, -1));
}

/// The half of x on and below the diagonal.
Term lower(const Term& x) {
  return select(above_diagonal(x), 0, x);
}

Term strictly_lower(const Term& x) {
  return select(below_diagonal(x), x, 0);
}

Term row_vector(const Term& x) {
  return {unsqueeze(x.tensor, -2, x.where), x.where};
}

Term column_vector(const Term& x) {
  return {unsqueeze(x.tensor, -1, x.where), x.where};
}

/// A number for each matrix, broadcasting against it.
Term as_factor(const Term& x) {
  return row_vector(column_vector(x));
}

Term columns(const Term& x, int64_t begin, int64_t end) {
  return {slice(x.tensor, -1, begin, end, 1, x.where), x.where};
}

Term rows(const Term& x, int64_t begin, int64_t end) {
  return {slice(x.tensor, -2, begin, end, 1, x.where), x.where};
}

Term solve(const Term& a, const Term& b) {
  return {linalg::solve(a.tensor, b.tensor, a.where), a.where};
}

Term solve_triangular(const Term& a, const Term& b, const linalg::TriangularOptions& options) {
  return {linalg::solve_triangular(a.tensor, b.tensor, options, a.where), a.where};
}

Term inv(const Term& a) {
  return {linalg::inv(a.tensor, a.where), a.where};
}

/// x - x^T.
Term skew(const Term& x) {
  return x - transposed(x);
}

/// (x - x^T) / differences, for the product x of vectors and their gradients. It is 0 where no
/// gradient flows to the vectors, so that equal values, of which they are not determined, make NaN
/// only of gradients that depend on them.
Term rotation(const Term& x, const Term& differences) {
  const Term is_absent = both(equal(x, 0), equal(transposed(x), 0));
  const Term is_fixed = select(on_diagonal(x), filled({}, 1, DType::bool_, x.where), is_absent);
  return select(is_fixed, 0, skew(x) / select(is_fixed, 1, differences));
}

std::vector<Tensor> cholesky(const Use& use) {
  const bool upper = use.attributes.flag("upper");
  const Term l = upper ? transposed(use.result()) : use.result();
  const Term g = upper ? transposed(use.gradient()) : use.gradient();
  const Term product = matmul_tn(l, g);
  const Term half = lower(product) - select(on_diagonal(product), product * 0.5, 0);
  // L^-T half L^-1, made symmetric.
  const Term right = solve_triangular(l, half, {.left = false});
  const Term s = solve_triangular(transposed(l), right, {.upper = true});
  return {((s + transposed(s)) * 0.5).tensor};
}

std::vector<Tensor> solve_rule(const Use& use) {
  const Term gradient_b = solve(transposed(use.input(0)), use.gradient());
  return {(-matmul_nt(gradient_b, use.result())).tensor, gradient_b.tensor};
}

std::vector<Tensor> solve_triangular_rule(const Use& use) {
  const bool upper = use.attributes.flag("upper");
  const bool right = use.attributes.flag("right");
  const bool unit = use.attributes.flag("unit_diagonal");
  const Term gradient_b =
      solve_triangular(transposed(use.input(0)),
                       use.gradient(),
                       {.upper = !upper, .left = !right, .unit_diagonal = unit});
  const Term x = use.result();
  const Term all = right ? -matmul_tn(x, gradient_b) : -matmul_nt(gradient_b, x);
  const Term turned = upper ? transposed(all) : all;
  const Term half = unit ? strictly_lower(turned) : lower(turned);
  return {(upper ? transposed(half) : half).tensor, gradient_b.tensor};
}

std::vector<Tensor> inv_rule(const Use& use) {
  const Term y = use.result();
  return {(-matmul_tn(y, matmul_nt(use.gradient(), y))).tensor};
}

std::vector<Tensor> det(const Use& use) {
  const Term cofactors = use.term(custom_op("linalg.cofactors", {use.inputs[0]}, {}, use.where()));
  return {(as_factor(use.gradient()) * cofactors).tensor};
}

std::vector<Tensor> cofactors(const Use& use) {
  const Term c = use.result();
  const Term g = use.gradient();
  const Term inverse = transposed(inv(use.input(0)));
  const Term inner = sum_keeping(c * g, {c.shape().ndim() - 2, c.shape().ndim() - 1});
  return {(inner * inverse - matmul(matmul_nt(c, g), inverse)).tensor};
}

std::vector<Tensor> slogdet(const Use& use) {
  const Term g = use.term(wick::select(use.cotangent, -1, 1, use.where()));
  return {(as_factor(g) * transposed(inv(use.input(0)))).tensor};
}

/// Of A [m,n] with m >= n: (gQ + Q sym(R gR^T - gQ^T Q)) R^-T, sym mirroring the lower half.
Term tall_qr(const Term& q, const Term& r, const Term& gradient_q, const Term& gradient_r) {
  const Term m = matmul_nt(r, gradient_r) - matmul_tn(gradient_q, q);
  const Term mirrored = lower(m) + transposed(strictly_lower(m));
  const Term sum = gradient_q + matmul(q, mirrored);
  return solve_triangular(transposed(r), sum, {.left = false});
}

/// A wide A = [X Y] is Q [U V] with X = Q U and V = Q^T Y.
Term wide_qr(const Term& a, const Term& q, const Term& r, const Term& gq, const Term& gr) {
  const int64_t m = extent(a, -2);
  const int64_t n = extent(a, -1);
  const Term gradient_v = columns(gr, m, n);
  const Term gradient_q = gq + matmul_nt(columns(a, m, n), gradient_v);
  const Term x = tall_qr(q, columns(r, 0, m), gradient_q, columns(gr, 0, m));
  const Term y = matmul(q, gradient_v);
  return {concat({x.tensor, y.tensor}, a.shape().ndim() - 1, a.where), a.where};
}

std::vector<Tensor> qr(const Use& use) {
  const Term a = use.input(0);
  const int64_t m = extent(a, -2);
  const int64_t n = extent(a, -1);
  const int64_t k = use.attributes.flag("complete") ? m : std::min(m, n);
  if (k > n) {
    throw Error(use.where(), "linalg.qr", "a complete Q of a tall matrix has no gradient");
  }
  const Axes extents[] = {{m, k}, {k, n}};
  const std::vector<Term> out = use.unpacked(use.output, extents);
  const std::vector<Term> g = use.unpacked(use.cotangent, extents);
  const Term gradient =
      m >= n ? tall_qr(out[0], out[1], g[0], g[1]) : wide_qr(a, out[0], out[1], g[0], g[1]);
  return {gradient.tensor};
}

std::vector<Tensor> svd(const Use& use) {
  const int64_t m = extent(use.input(0), -2);
  const int64_t n = extent(use.input(0), -1);
  const int64_t k = std::min(m, n);
  const bool full = use.attributes.flag("full");
  const Axes extents[] = {{m, full ? m : k}, {k}, {full ? n : k, n}};
  const std::vector<Term> out = use.unpacked(use.output, extents);
  const std::vector<Term> g = use.unpacked(use.cotangent, extents);
  const Term u = columns(out[0], 0, k);
  const Term& s = out[1];
  const Term vt = rows(out[2], 0, k);
  const Term gradient_u = columns(g[0], 0, k);
  const Term gradient_vt = rows(g[2], 0, k);

  const Term sums = row_vector(s) + column_vector(s);
  const Term differences = (row_vector(s) - column_vector(s)) * sums;  // of the squares
  const Term left = matmul_tn(u, gradient_u);
  const Term right = matmul_nt(vt, gradient_vt);
  const Term inner =
      rotation(left, differences) * row_vector(s) + column_vector(s) * rotation(right, differences);
  const Term diagonal = select(on_diagonal(inner), inner + row_vector(g[1]), inner);
  Term gradient = matmul(matmul(u, diagonal), vt);
  if (m > k) {
    const Term outside = gradient_u - matmul(u, left);
    gradient = gradient + matmul(outside / row_vector(s), vt);
  }
  if (n > k) {
    const Term outside = gradient_vt - matmul_tn(right, vt);
    gradient = gradient + matmul(u, outside / column_vector(s));
  }
  return {gradient.tensor};
}

std::vector<Tensor> svdvals(const Use& use) {
  const linalg::SvdResult a = linalg::svd(use.inputs[0], false, use.where());
  return {matmul(use.term(a.u) * row_vector(use.gradient()), use.term(a.vh)).tensor};
}

std::vector<Tensor> eigh(const Use& use) {
  const int64_t n = extent(use.input(0), -1);
  const Axes extents[] = {{n}, {n, n}};
  const std::vector<Term> out = use.unpacked(use.output, extents);
  const std::vector<Term> g = use.unpacked(use.cotangent, extents);
  const Term& vectors = out[1];
  const Term differences = row_vector(out[0]) - column_vector(out[0]);
  const Term inner = rotation(matmul_tn(vectors, g[1]), differences) * 0.5;
  const Term diagonal = select(on_diagonal(inner), inner + row_vector(g[0]), inner);
  return {matmul_nt(matmul(vectors, diagonal), vectors).tensor};
}

std::vector<Tensor> eigvalsh(const Use& use) {
  const linalg::EighResult a =
      linalg::eigh(use.inputs[0], use.attributes.flag("upper"), use.where());
  const Term vectors = use.term(a.vectors);
  return {matmul_nt(vectors * row_vector(use.gradient()), vectors).tensor};
}

/// Of P, the pseudoinverse of A.
Term pinv_gradient(const Term& a, const Term& p, const Term& g) {
  const Term gradient = matmul_tn(p, matmul_nt(g, p));
  const Term z = matmul_nt(matmul_tn(g, p), p);
  const Term w = matmul_nt(matmul_tn(p, p), g);
  return z - matmul(a, matmul(p, z)) + w - matmul(matmul(w, p), a) - gradient;
}

std::vector<Tensor> pinv(const Use& use) {
  return {pinv_gradient(use.input(0), use.result(), use.gradient()).tensor};
}

/// X = P B, though it is computed without P.
std::vector<Tensor> lstsq(const Use& use) {
  const double rcond = use.attributes.number("rcond", 0);
  const Term p = use.term(linalg::pinv(use.inputs[0], rcond, use.where()));
  const Term gradient_p = matmul_nt(use.gradient(), use.input(1));
  return {pinv_gradient(use.input(0), p, gradient_p).tensor, matmul_tn(p, use.gradient()).tensor};
}

using Rule = std::vector<Tensor>(const Use&);

constexpr std::pair<const char*, Rule*> kRules[] = {
    {"linalg.cholesky", cholesky},
    {"linalg.cofactors", cofactors},
    {"linalg.det", det},
    {"linalg.eigh", eigh},
    {"linalg.eigvalsh", eigvalsh},
    {"linalg.inv", inv_rule},
    {"linalg.lstsq", lstsq},
    {"linalg.pinv", pinv},
    {"linalg.qr", qr},
    {"linalg.slogdet", slogdet},
    {"linalg.solve", solve_rule},
    {"linalg.solve_triangular", solve_triangular_rule},
    {"linalg.svd", svd},
    {"linalg.svdvals", svdvals},
};

bool register_rules() {
  for (const auto& [name, rule] : kRules) {
    register_custom_gradient(name,
                             [rule = rule](std::span<const Tensor> inputs,
                                           const Tensor& output,
                                           const Tensor& cotangent,
                                           const ir::Attributes& attributes) {
                               return rule({inputs, output, cotangent, attributes});
                             });
  }
  return true;
}

[[maybe_unused]] const bool kRegistered = register_rules();

}  // namespace
}  // namespace wick::autograd
