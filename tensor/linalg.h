#pragma once

// Linear algebra by LAPACK: factorizations, equations, and numbers of matrices. Matrices are the
// last two axes; leading axes are a batch. Types are f32 and f64; f16 and bf16 compute in f32.
//
// Shapes and dtypes that do not fit are errors when recorded. What only the values tell (a singular
// matrix, one that is not positive definite, no convergence) is an Error with the op's name and
// line when the value is asked for. Gradients are those of the formulas in Giles (2008), "Collected
// matrix derivative results for forward and reverse mode algorithmic differentiation", and of any
// order unless a function says otherwise.

#include <optional>

#include "wick/tensor/ops.h"

namespace wick::linalg {

// Factorizations.

/// L of A = L L^T for symmetric positive definite A, of which the lower half is read; with `upper`
/// U of A = U^T U from the upper half.
Tensor cholesky(const Tensor& a, bool upper = false, Where where = Where::current());

struct QrResult {
  Tensor q;  // [..., m, k], orthonormal columns
  Tensor r;  // [..., k, n], zero below the diagonal
};

/// A = Q R for A [..., m, n]; k is the smaller of m and n, or m if `complete`. A complete Q of a
/// tall matrix has no gradient.
QrResult qr(const Tensor& a, bool complete = false, Where where = Where::current());

struct SvdResult {
  Tensor u;   // [..., m, k], orthonormal columns
  Tensor s;   // [..., k], descending
  Tensor vh;  // [..., k, n], orthonormal rows
};

/// A = U diag(s) V^T for A [..., m, n]; k is the smaller of m and n. With `full_matrices` U is
/// [..., m, m] and V^T [..., n, n], and what it adds passes no gradient. Gradients through vectors
/// are for functions that do not depend on their signs, and not finite where singular values are
/// equal, since the vectors are not determined there.
SvdResult svd(const Tensor& a, bool full_matrices = false, Where where = Where::current());
/// The singular values [..., k].
Tensor svdvals(const Tensor& a, Where where = Where::current());

struct EighResult {
  Tensor values;   // [..., n], ascending
  Tensor vectors;  // [..., n, n], in columns
};

/// Eigenvalues and eigenvectors of a symmetric matrix, of which one half is read. Gradients as
/// those of svd.
EighResult eigh(const Tensor& a, bool upper = false, Where where = Where::current());
/// The eigenvalues [..., n].
Tensor eigvalsh(const Tensor& a, bool upper = false, Where where = Where::current());

// Equations. A right-hand side b is a matrix [..., n, k] or, where it has one axis or the shape of
// a's rows, a vector [..., n]. The batches of a and b broadcast.

/// X of A X = B. Error when asked for if A is singular.
Tensor solve(const Tensor& a, const Tensor& b, Where where = Where::current());

struct TriangularOptions {
  bool upper = false;          // which half of A is read
  bool left = true;            // A X = B, else X A = B
  bool unit_diagonal = false;  // the diagonal is not read, but taken as ones
};

/// X of A X = B for a triangular A. A zero on the diagonal gives infinities and NaN.
Tensor solve_triangular(const Tensor& a,
                        const Tensor& b,
                        const TriangularOptions& options = {},
                        Where where = Where::current());
/// X of A X = B, given the Cholesky factor of A.
Tensor cholesky_solve(const Tensor& b,
                      const Tensor& factor,
                      bool upper = false,
                      Where where = Where::current());
/// X of least norm among those of least |A X - B|. Singular values of at most `rcond` times the
/// largest count as 0; by default the dtype's epsilon times the larger extent of A.
Tensor lstsq(const Tensor& a,
             const Tensor& b,
             std::optional<double> rcond = std::nullopt,
             Where where = Where::current());
/// Error when asked for if A is singular.
Tensor inv(const Tensor& a, Where where = Where::current());
/// Moore and Penrose's inverse [..., n, m], with `rcond` as in lstsq; the gradient takes the rank
/// as constant.
Tensor pinv(const Tensor& a,
            std::optional<double> rcond = std::nullopt,
            Where where = Where::current());

// Numbers.

/// Determinant [...]. The gradient is right for singular matrices too; that of the gradient is not.
Tensor det(const Tensor& a, Where where = Where::current());

struct SlogdetResult {
  Tensor sign;     // -1, 0 or 1
  Tensor log_abs;  // -inf for a singular matrix, which has no gradient
};

/// Sign and logarithm of the absolute value of the determinant, which may itself overflow.
SlogdetResult slogdet(const Tensor& a, Where where = Where::current());
/// How many singular values are above `rtol` times the largest, by default the dtype's epsilon
/// times the larger extent of A: i64 [...].
Tensor matrix_rank(const Tensor& a,
                   std::optional<double> rtol = std::nullopt,
                   Where where = Where::current());

enum class MatrixNorm {
  frobenius,     // square root of the sum of squares
  nuclear,       // sum of the singular values
  two,           // the largest singular value
  smallest_two,  // the smallest
  one,           // the largest sum of a column's absolute values
  smallest_one,
  inf,  // the largest sum of a row's absolute values
  smallest_inf,
};

Tensor matrix_norm(const Tensor& a,
                   MatrixNorm order = MatrixNorm::frobenius,
                   bool keepdims = false,
                   Where where = Where::current());
/// (sum |x|^order)^(1/order) over the axes, all by default; `order` may be infinite (the largest or
/// smallest |x|) or 0 (how many are not 0). The gradient at a vector of zeros is 0.
Tensor vector_norm(const Tensor& x,
                   double order = 2,
                   Axes axes = {},
                   bool keepdims = false,
                   Where where = Where::current());
/// The norm of A times that of its inverse; for the norm `two` the quotient of the extreme singular
/// values.
Tensor cond(const Tensor& a, MatrixNorm order = MatrixNorm::two, Where where = Where::current());
/// A^n by squaring; a negative n inverts A first.
Tensor matrix_power(const Tensor& a, int64_t n, Where where = Where::current());

}  // namespace wick::linalg
