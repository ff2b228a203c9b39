// Cholesky's and the orthogonal factorization.

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "wick/runtime/lapack/ops.h"
#include "wick/runtime/lapack/routines.h"

namespace wick::runtime::lapack {
namespace {

std::string not_positive_definite(int info) {
  constexpr auto kText =
      "the matrix is not positive definite: its leading minor of order {} is not positive";
  return fmt::format(kText, info);
}

template <typename T>
void cholesky(const Call<T>& call) {
  const int n = call.rows();
  const bool upper = call.flag("upper");
  const auto one = [&](int64_t i) {
    T* l = call.result(i);
    for (int row = 0; row < n; ++row) {
      const T* from = call.matrix(i) + int64_t{row} * n;
      T* to = l + int64_t{row} * n;
      for (int column = 0; column < n; ++column) {
        // The other half of the factor is 0, and that of A is not read.
        const bool kept = upper ? column >= row : column <= row;
        to[column] = kept ? from[column] : T(0);
      }
    }
    if (!upper) return potrf('U', n, l);
    return potrf('L', n, l);
  };
  for_each_matrix(call.count(), n * 1.0 * n * n / 3, one, not_positive_definite);
}

/// By the factorization of the transpose, A^T = L Q', which LAPACK sees: Q = Q'^T and R = L^T.
template <typename T>
int factor_qr(const T* matrix, int m, int n, int inner, T* q, T* r) {
  const int least = std::min(m, n);
  std::vector<T> a(matrix, matrix + int64_t{m} * n);
  std::vector<T> tau(static_cast<size_t>(inner));
  if (least > 0) {
    if (const int info = gelqf(n, m, a.data(), tau.data()); info != 0) return info;
  }
  for (int row = 0; row < inner; ++row) {
    for (int column = 0; column < n; ++column)
      r[int64_t{row} * n + column] = column < row ? T(0) : a[int64_t{row} * n + column];
  }
  // The reflectors, with room for the columns of Q that they do not have.
  for (int row = 0; row < m; ++row) {
    for (int column = 0; column < inner; ++column) {
      q[int64_t{row} * inner + column] = column < least ? a[int64_t{row} * n + column] : T(0);
    }
  }
  return inner == 0 ? 0 : orglq(inner, m, least, q, tau.data());
}

template <typename T>
void qr(const Call<T>& call) {
  const int m = call.rows();
  const int n = call.columns();
  const int inner = call.flag("complete") ? m : std::min(m, n);
  const auto one = [&](int64_t i) {
    T* q = call.result(i);
    return factor_qr(call.matrix(i), m, n, inner, q, q + int64_t{m} * inner);
  };
  for_each_matrix(call.count(), 4.0 * m * n * inner, one, not_converged);
}

}  // namespace

ir::CustomCall find_factorization(std::string_view op) {
  if (op == "linalg.cholesky") return either<cholesky<float>, cholesky<double>>;
  if (op == "linalg.qr") return either<qr<float>, qr<double>>;
  return nullptr;
}

}  // namespace wick::runtime::lapack
