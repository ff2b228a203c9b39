// Linear equations and determinants, by triangular factors with row exchanges.

#include <algorithm>
#include <cmath>
#include <vector>

#include <cblas.h>
#include <fmt/format.h>

#include "wick/runtime/lapack/ops.h"
#include "wick/runtime/lapack/routines.h"

namespace wick::runtime::lapack {
namespace {

std::string singular(int info) {
  return fmt::format("the matrix is singular: pivot {} is zero", info);
}

double cube(int n) {
  return 1.0 * n * n * n;
}

/// P L U of the transpose of a matrix.
template <typename T>
struct Factors {
  Factors(const T* matrix, int n)
      : n(n),
        lu(matrix, matrix + int64_t{n} * n),
        pivots(static_cast<size_t>(n)),
        info(n == 0 ? 0 : getrf(n, n, lu.data(), pivots.data())) {}

  [[nodiscard]] T pivot(int i) const { return lu[static_cast<size_t>(i) * (int64_t{n} + 1)]; }

  /// Of the permutation.
  [[nodiscard]] int sign() const {
    int sign = 1;
    for (int i = 0; i < n; ++i)
      sign = pivots[static_cast<size_t>(i)] == i + 1 ? sign : -sign;
    return sign;
  }

  int n;
  std::vector<T> lu;
  std::vector<int> pivots;
  int info;  // i: pivot i, counted from 1, is zero
};

/// to[columns, rows] of from[rows, columns].
template <typename T>
void transpose(const T* from, int rows, int columns, T* to) {
  for (int row = 0; row < rows; ++row) {
    for (int column = 0; column < columns; ++column)
      to[int64_t{column} * rows + row] = from[int64_t{row} * columns + column];
  }
}

template <typename T>
void solve(const Call<T>& call) {
  const int n = call.rows();
  const int columns = call.columns(1);
  const auto one = [&](int64_t i) {
    const Factors<T> a(call.matrix(i), n);
    if (a.info != 0) return a.info;
    std::vector<T> x(static_cast<size_t>(n) * static_cast<size_t>(columns));
    transpose(call.matrix(i, 1), n, columns, x.data());
    const int info = getrs('T', n, columns, a.lu.data(), a.pivots.data(), x.data());
    transpose(x.data(), columns, n, call.result(i));
    return info;
  };
  for_each_matrix(call.count(), cube(n) + 2.0 * n * n * columns, one, singular);
}

template <typename T>
void solve_triangular(const Call<T>& call) {
  const bool right = call.flag("right");
  const int n = call.rows();
  const int b_rows = call.rows(1);
  const int b_columns = call.columns(1);
  const auto side = right ? CblasRight : CblasLeft;
  const auto half = call.flag("upper") ? CblasUpper : CblasLower;
  const auto diagonal = call.flag("unit_diagonal") ? CblasUnit : CblasNonUnit;
  const auto one = [&](int64_t i) {
    const T* b = call.matrix(i, 1);
    T* x = call.result(i);
    std::copy(b, b + int64_t{b_rows} * b_columns, x);
    pick<T>(cblas_strsm, cblas_dtrsm)(CblasRowMajor,
                                      side,
                                      half,
                                      CblasNoTrans,
                                      diagonal,
                                      b_rows,
                                      b_columns,
                                      T(1),
                                      call.matrix(i),
                                      n,
                                      x,
                                      b_columns);
    return 0;
  };
  for_each_matrix(call.count(), 1.0 * n * b_rows * b_columns, one, singular);
}

template <typename T>
void inv(const Call<T>& call) {
  const int n = call.rows();
  const auto one = [&](int64_t i) {
    Factors<T> a(call.matrix(i), n);
    if (a.info != 0) return a.info;
    const int info = getri(n, a.lu.data(), a.pivots.data());
    std::ranges::copy(a.lu, call.result(i));
    return info;
  };
  for_each_matrix(call.count(), 2 * cube(n), one, singular);
}

template <typename T>
void det(const Call<T>& call) {
  const int n = call.rows();
  const auto one = [&](int64_t i) {
    const Factors<T> a(call.matrix(i), n);
    double product = a.sign();
    for (int k = 0; k < n; ++k)
      product *= a.pivot(k);
    *call.result(i) = static_cast<T>(product);
    return 0;
  };
  for_each_matrix(call.count(), cube(n), one, singular);
}

template <typename T>
void slogdet(const Call<T>& call) {
  const int n = call.rows();
  const auto one = [&](int64_t i) {
    const Factors<T> a(call.matrix(i), n);
    double sign = a.sign();
    double log = 0;
    for (int k = 0; k < n; ++k) {
      const double pivot = a.pivot(k);
      sign *= pivot == 0 ? 0 : std::isnan(pivot) ? pivot : std::copysign(1.0, pivot);
      log += std::log(std::abs(pivot));
    }
    call.result(i)[0] = static_cast<T>(sign);
    call.result(i)[1] = static_cast<T>(log);
    return 0;
  };
  for_each_matrix(call.count(), cube(n), one, singular);
}

template <typename T>
void lstsq(const Call<T>& call) {
  const int m = call.rows();
  const int n = call.columns();
  const int columns = call.columns(1);
  const int least = std::min(m, n);
  const auto one = [&](int64_t i) {
    T* x = call.result(i);
    std::fill_n(x, int64_t{n} * columns, T(0));
    if (least == 0) return 0;
    if (!all_finite(call.matrix(i), int64_t{m} * n)) return kNotFinite;
    std::vector<T> a(static_cast<size_t>(m) * static_cast<size_t>(n));
    transpose(call.matrix(i), m, n, a.data());
    const int64_t stride = std::max(m, n);
    std::vector<T> b(static_cast<size_t>(stride) * static_cast<size_t>(columns));
    for (int row = 0; row < m; ++row) {
      for (int column = 0; column < columns; ++column)
        b[column * stride + row] = call.matrix(i, 1)[int64_t{row} * columns + column];
    }
    const int info = gelsd(m, n, columns, a.data(), b.data(), static_cast<T>(call.number("rcond")));
    for (int row = 0; row < n; ++row) {
      for (int column = 0; column < columns; ++column)
        x[int64_t{row} * columns + column] = b[column * stride + row];
    }
    return info;
  };
  for_each_matrix(call.count(), 10.0 * m * n * least, one, not_converged);
}

}  // namespace

ir::CustomCall find_solver(std::string_view op) {
  if (op == "linalg.solve") return either<solve<float>, solve<double>>;
  if (op == "linalg.solve_triangular")
    return either<solve_triangular<float>, solve_triangular<double>>;
  if (op == "linalg.inv") return either<inv<float>, inv<double>>;
  if (op == "linalg.det") return either<det<float>, det<double>>;
  if (op == "linalg.slogdet") return either<slogdet<float>, slogdet<double>>;
  if (op == "linalg.lstsq") return either<lstsq<float>, lstsq<double>>;
  return nullptr;
}

}  // namespace wick::runtime::lapack
