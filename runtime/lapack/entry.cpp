// What libwick.so looks for in libwick-lapack.so.

#include "wick/runtime/lapack/ops.h"
#include "wick/runtime/library_ops.h"

extern "C" __attribute__((visibility("default"))) wick::ir::CustomCall wick_find_lapack_call(
    const char* op) {
  using namespace wick::runtime::lapack;
  for (const auto find : {find_factorization, find_solver, find_svd, find_eigen}) {
    if (const wick::ir::CustomCall call = find(op)) return call;
  }
  return nullptr;
}

static_assert(std::is_same_v<decltype(wick_find_lapack_call), wick::runtime::FindLibraryCall>);
