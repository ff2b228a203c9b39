// Eigenvalues and eigenvectors of symmetric matrices.

#include <algorithm>
#include <vector>

#include "wick/runtime/lapack/ops.h"
#include "wick/runtime/lapack/routines.h"

namespace wick::runtime::lapack {
namespace {

/// The half that is read, as LAPACK sees it in the transpose.
template <typename T>
char half_of(const Call<T>& call) {
  return call.flag("upper") ? 'L' : 'U';
}

template <typename T>
bool half_is_finite(const T* matrix, int n, bool upper) {
  for (int row = 0; row < n; ++row) {
    const T* begin = matrix + int64_t{row} * n + (upper ? row : 0);
    if (!all_finite(begin, upper ? n - row : row + 1)) return false;
  }
  return true;
}

template <typename T>
int decompose(const Call<T>& call, char job, int64_t i, std::vector<T>& vectors, T* values) {
  const int n = call.rows();
  if (!half_is_finite(call.matrix(i), n, call.flag("upper"))) return kNotFinite;
  vectors.assign(call.matrix(i), call.matrix(i) + int64_t{n} * n);
  return syevd(job, half_of(call), n, vectors.data(), values);
}

template <typename T>
void eigh(const Call<T>& call) {
  const int n = call.rows();
  const auto one = [&](int64_t i) {
    std::vector<T> vectors;  // one a row
    T* values = call.result(i);
    const int info = decompose(call, 'V', i, vectors, values);
    if (info != 0) return info;
    T* columns = values + n;
    for (int row = 0; row < n; ++row) {
      for (int column = 0; column < n; ++column)
        columns[int64_t{row} * n + column] = vectors[static_cast<size_t>(column) * n + row];
    }
    return 0;
  };
  for_each_matrix(call.count(), 9.0 * n * n * n, one, not_converged);
}

template <typename T>
void eigvalsh(const Call<T>& call) {
  const int n = call.rows();
  const auto one = [&](int64_t i) {
    std::vector<T> overwritten;
    return decompose(call, 'N', i, overwritten, call.result(i));
  };
  for_each_matrix(call.count(), 2.0 * n * n * n, one, not_converged);
}

}  // namespace

ir::CustomCall find_eigen(std::string_view op) {
  if (op == "linalg.eigh") return either<eigh<float>, eigh<double>>;
  if (op == "linalg.eigvalsh") return either<eigvalsh<float>, eigvalsh<double>>;
  return nullptr;
}

}  // namespace wick::runtime::lapack
