// What stands for runtime/blas_matmul.cpp where Wick is built without LAPACK.

#include "wick/runtime/library_call.h"

namespace wick::runtime {

std::unique_ptr<HostCall> make_blas_matmul(const LibraryOp& /*op*/) {
  return nullptr;
}

}  // namespace wick::runtime
