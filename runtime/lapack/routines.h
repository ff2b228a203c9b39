#pragma once

// LAPACK's routines for float and double, with workspaces of their own. Matrices are column-major;
// the result is LAPACK's info.

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <type_traits>
#include <vector>

#include <lapack.h>

namespace wick::runtime::lapack {

/// The routine that fits the element type.
template <typename T, typename Single, typename Double>
constexpr auto pick(Single* single, Double* twice) {
  if constexpr (std::is_same_v<T, float>) {
    return single;
  } else {
    return twice;
  }
}

/// A float cannot hold every size that LAPACK wants to say.
template <typename T>
size_t workspace_size(T wanted) {
  return static_cast<size_t>(std::nextafter(wanted, std::numeric_limits<T>::infinity())) + 1;
}

/// Runs a routine twice: first with lwork = -1, so that it says how much workspace it wants.
template <typename T, typename Run>
int with_workspace(Run&& run) {
  T wanted = 0;
  int info = run(&wanted, -1);
  if (info != 0) return info;
  std::vector<T> work(workspace_size(wanted));
  info = run(work.data(), static_cast<int>(work.size()));
  return info;
}

constexpr size_t kTextLength = 1;  // Fortran passes the lengths of texts last

template <typename T>
int potrf(char uplo, int n, T* a) {
  int info = 0;
  pick<T>(LAPACK_spotrf_base, LAPACK_dpotrf_base)(&uplo, &n, a, &n, &info, kTextLength);
  return info;
}

template <typename T>
int getrf(int m, int n, T* a, int* pivots) {
  int info = 0;
  pick<T>(LAPACK_sgetrf, LAPACK_dgetrf)(&m, &n, a, &m, pivots, &info);
  return info;
}

template <typename T>
int getrs(char trans, int n, int columns, const T* lu, const int* pivots, T* b) {
  int info = 0;
  pick<T>(LAPACK_sgetrs_base, LAPACK_dgetrs_base)(
      &trans, &n, &columns, lu, &n, pivots, b, &n, &info, kTextLength);
  return info;
}

/// Up to a block it is not asked what it wants, a row: that takes as long as a small inverse.
template <typename T>
int getri(int n, T* lu, const int* pivots) {
  constexpr int kBlock = 64;
  const auto run = [&](T* work, int size) {
    int info = 0;
    pick<T>(LAPACK_sgetri, LAPACK_dgetri)(&n, lu, &n, pivots, work, &size, &info);
    return info;
  };
  if (n > kBlock) return with_workspace<T>(run);
  std::array<T, kBlock> work;
  return run(work.data(), kBlock);
}

template <typename T>
int gelqf(int m, int n, T* a, T* tau) {
  return with_workspace<T>([&](T* work, int size) {
    int info = 0;
    pick<T>(LAPACK_sgelqf, LAPACK_dgelqf)(&m, &n, a, &m, tau, work, &size, &info);
    return info;
  });
}

template <typename T>
int orglq(int m, int n, int reflectors, T* a, const T* tau) {
  return with_workspace<T>([&](T* work, int size) {
    int info = 0;
    pick<T>(LAPACK_sorglq, LAPACK_dorglq)(&m, &n, &reflectors, a, &m, tau, work, &size, &info);
    return info;
  });
}

/// u is m x u_columns, vt vt_rows x n.
template <typename T>
int gesdd(char job, int m, int n, T* a, T* s, T* u, T* vt, int vt_rows) {
  std::vector<int> integers(8 * static_cast<size_t>(std::min(m, n)));
  return with_workspace<T>([&](T* work, int size) {
    int info = 0;
    pick<T>(LAPACK_sgesdd_base, LAPACK_dgesdd_base)(&job,
                                                    &m,
                                                    &n,
                                                    a,
                                                    &m,
                                                    s,
                                                    u,
                                                    &m,
                                                    vt,
                                                    &vt_rows,
                                                    work,
                                                    &size,
                                                    integers.data(),
                                                    &info,
                                                    kTextLength);
    return info;
  });
}

template <typename T>
int syevd(char job, char uplo, int n, T* a, T* values) {
  int wanted = 0;
  int query = -1;
  int integer_size = -1;
  T size = 0;
  int info = 0;
  const auto routine = pick<T>(LAPACK_ssyevd_base, LAPACK_dsyevd_base);
  const auto run = [&](T* work, int* work_size, int* integers) {
    routine(&job,
            &uplo,
            &n,
            a,
            &n,
            values,
            work,
            work_size,
            integers,
            &integer_size,
            &info,
            kTextLength,
            kTextLength);
  };
  run(&size, &query, &wanted);
  if (info != 0) return info;
  std::vector<T> work(workspace_size(size));
  std::vector<int> integers(static_cast<size_t>(wanted) + 1);
  int work_size = static_cast<int>(work.size());
  integer_size = static_cast<int>(integers.size());
  run(work.data(), &work_size, integers.data());
  return info;
}

/// Singular values of at most rcond times the largest count as 0; b is max(m, n) x columns.
template <typename T>
int gelsd(int m, int n, int columns, T* a, T* b, T rcond) {
  const int ldb = std::max(m, n);
  std::vector<T> s(static_cast<size_t>(std::min(m, n)));
  int rank = 0;
  int wanted = 0;
  std::vector<int> integers;
  return with_workspace<T>([&](T* work, int size) {
    int info = 0;
    pick<T>(LAPACK_sgelsd, LAPACK_dgelsd)(&m,
                                          &n,
                                          &columns,
                                          a,
                                          &m,
                                          b,
                                          &ldb,
                                          s.data(),
                                          &rcond,
                                          &rank,
                                          work,
                                          &size,
                                          size == -1 ? &wanted : integers.data(),
                                          &info);
    if (size == -1) integers.resize(static_cast<size_t>(wanted) + 1);
    return info;
  });
}

}  // namespace wick::runtime::lapack
