// The singular value decomposition and what is made of it.

#include <algorithm>
#include <vector>

#include <cblas.h>

#include "wick/runtime/lapack/ops.h"
#include "wick/runtime/lapack/routines.h"

namespace wick::runtime::lapack {
namespace {

double work_of(int m, int n) {
  return 12.0 * m * n * std::min(m, n);
}

template <typename T>
void fill_identity(T* matrix, int n) {
  std::fill_n(matrix, int64_t{n} * n, T(0));
  for (int64_t i = 0; i < n; ++i)
    matrix[i * (n + 1)] = T(1);
}

/// u, s and vt of a row-major matrix. LAPACK decomposes its transpose, V S U^T: its left vectors in
/// columns are the rows of V^T, its right ones in rows the columns of U.
template <typename T>
int decompose(char job, const T* matrix, int m, int n, int left, T* u, T* s, T* vt) {
  const int64_t count = int64_t{m} * n;
  if (!all_finite(matrix, count)) return kNotFinite;
  std::vector<T> a(matrix, matrix + count);
  return gesdd(job, n, m, a.data(), s, vt, u, left);
}

template <typename T>
void svd(const Call<T>& call) {
  const int m = call.rows();
  const int n = call.columns();
  const int least = std::min(m, n);
  const bool full = call.flag("full");
  const int left = full ? m : least;
  const int right = full ? n : least;
  const auto one = [&](int64_t i) {
    T* u = call.result(i);
    T* s = u + int64_t{m} * left;
    T* vt = s + least;
    if (least == 0) {
      fill_identity(u, left);
      fill_identity(vt, right);
      return 0;
    }
    return decompose(full ? 'A' : 'S', call.matrix(i), m, n, left, u, s, vt);
  };
  for_each_matrix(call.count(), work_of(m, n), one, not_converged);
}

template <typename T>
void svdvals(const Call<T>& call) {
  const int m = call.rows();
  const int n = call.columns();
  const auto one = [&](int64_t i) {
    T* const none = nullptr;
    return decompose('N', call.matrix(i), m, n, 1, none, call.result(i), none);
  };
  for_each_matrix(call.count(), work_of(m, n), one, not_converged);
}

/// x[rows, inner]^T or not, times y.
template <typename T>
void multiply(
    bool transpose_both, int rows, int columns, int inner, const T* x, const T* y, T* to) {
  const auto transpose = transpose_both ? CblasTrans : CblasNoTrans;
  pick<T>(cblas_sgemm, cblas_dgemm)(CblasRowMajor,
                                    transpose,
                                    transpose,
                                    rows,
                                    columns,
                                    inner,
                                    T(1),
                                    x,
                                    transpose_both ? rows : inner,
                                    y,
                                    transpose_both ? inner : columns,
                                    T(0),
                                    to,
                                    columns);
}

template <typename T>
void scale_rows(T* matrix, int rows, int columns, const std::vector<T>& factors) {
  for (int row = 0; row < rows; ++row) {
    for (int column = 0; column < columns; ++column)
      matrix[int64_t{row} * columns + column] *= factors[static_cast<size_t>(row)];
  }
}

/// V diag(1 / s) U^T, leaving out singular values of at most rcond times the largest.
template <typename T>
void pinv(const Call<T>& call) {
  const int m = call.rows();
  const int n = call.columns();
  const int least = std::min(m, n);
  const T rcond = static_cast<T>(call.number("rcond"));
  const auto one = [&](int64_t i) {
    std::vector<T> u(static_cast<size_t>(m) * static_cast<size_t>(least));
    std::vector<T> vt(static_cast<size_t>(n) * static_cast<size_t>(least));
    std::vector<T> s(static_cast<size_t>(least));
    const int info = decompose('S', call.matrix(i), m, n, least, u.data(), s.data(), vt.data());
    if (info != 0) return info;
    const T smallest = rcond * s.front();
    for (T& value : s)
      value = value > smallest ? 1 / value : T(0);
    scale_rows(vt.data(), least, n, s);
    multiply(true, n, m, least, vt.data(), u.data(), call.result(i));
    return 0;
  };
  for_each_matrix(call.count(), work_of(m, n), one, not_converged);
}

/// Products of all values but the one at each place.
template <typename T>
std::vector<T> products_of_others(const std::vector<T>& values) {
  std::vector<T> products(values.size(), T(1));
  double before = 1;
  double after = 1;
  for (size_t i = 0; i < values.size(); ++i) {
    products[i] = static_cast<T>(products[i] * before);
    before *= values[i];
  }
  for (size_t i = values.size(); i-- > 0;) {
    products[i] = static_cast<T>(products[i] * after);
    after *= values[i];
  }
  return products;
}

template <typename T>
int sign_of_determinant(std::vector<T> orthogonal, int n) {
  std::vector<int> pivots(static_cast<size_t>(n));
  getrf(n, n, orthogonal.data(), pivots.data());
  int sign = 1;
  for (int i = 0; i < n; ++i) {
    if (pivots[static_cast<size_t>(i)] != i + 1) sign = -sign;
    if (orthogonal[static_cast<size_t>(i) * (int64_t{n} + 1)] < 0) sign = -sign;
  }
  return sign;
}

/// det(U) det(V) U diag(p) V^T with p the products of the other singular values: also right for
/// singular matrices, where the determinant's inverse says nothing.
template <typename T>
void cofactors(const Call<T>& call) {
  const int n = call.rows();
  const auto one = [&](int64_t i) {
    std::vector<T> u(static_cast<size_t>(n) * static_cast<size_t>(n));
    std::vector<T> vt(u.size());
    std::vector<T> s(static_cast<size_t>(n));
    const int info = decompose('S', call.matrix(i), n, n, n, u.data(), s.data(), vt.data());
    if (info != 0) return info;
    const T sign = static_cast<T>(sign_of_determinant(u, n) * sign_of_determinant(vt, n));
    std::vector<T> factors = products_of_others(s);
    for (T& factor : factors)
      factor *= sign;
    scale_rows(vt.data(), n, n, factors);
    multiply(false, n, n, n, u.data(), vt.data(), call.result(i));
    return 0;
  };
  for_each_matrix(call.count(), work_of(n, n), one, not_converged);
}

}  // namespace

ir::CustomCall find_svd(std::string_view op) {
  if (op == "linalg.svd") return either<svd<float>, svd<double>>;
  if (op == "linalg.svdvals") return either<svdvals<float>, svdvals<double>>;
  if (op == "linalg.pinv") return either<pinv<float>, pinv<double>>;
  if (op == "linalg.cofactors") return either<cofactors<float>, cofactors<double>>;
  return nullptr;
}

}  // namespace wick::runtime::lapack
