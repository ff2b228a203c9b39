#pragma once

// The linalg.* ops by family. Each gives its function for an op's name, null for another.

#include <string_view>

#include "wick/runtime/lapack/batch.h"

namespace wick::runtime::lapack {

ir::CustomCall find_factorization(std::string_view op);
ir::CustomCall find_solver(std::string_view op);
ir::CustomCall find_svd(std::string_view op);
ir::CustomCall find_eigen(std::string_view op);

/// The function of both element types.
template <void (*Single)(const Call<float>&), void (*Double)(const Call<double>&)>
void either(const void* const* operands, void* result, const ir::CustomCallInfo& info) {
  if (info.result.numel() == 0) return;
  if (info.result.dtype == DType::f32) {
    Single({operands, result, info});
  } else {
    Double({operands, result, info});
  }
}

}  // namespace wick::runtime::lapack
