#include "wick/runtime/cuda/cublaslt.h"

#include <fmt/format.h>

namespace wick::runtime::cuda {
namespace {

Found<CublasLtApi> open() {
  return open_table<CublasLtApi>("cuBLASLt",
                                 {.variable = "WICK_LIBCUBLASLT",
                                  .files = {fmt::format("libcublasLt.so.{}", CUBLAS_VER_MAJOR)}});
}

}  // namespace

template <>
ApiSlot<CublasLtApi>& api_slot<CublasLtApi>() {
  static ApiSlot<CublasLtApi> slot(&open);
  return slot;
}

}  // namespace wick::runtime::cuda
