#include "wick/runtime/cuda/blas.h"

#include <fmt/format.h>

#include "wick/runtime/cuda/not_supported.h"

namespace wick::runtime::cuda {

Blas::Blas(const Device& device, const CublasLtApi& api) : device_(device), api_(api) {
  call("opening cuBLASLt", api.cublasLtCreate, &handle_);
}

Blas::~Blas() {
  api_.cublasLtDestroy(handle_);
}

void Blas::expect_success(cublasStatus_t status,
                          const char* function,
                          std::string_view doing) const {
  if (status == CUBLAS_STATUS_SUCCESS) return;
  const std::string text = fmt::format("{}: {}: {}: {}",
                                       doing,
                                       function,
                                       api_.cublasLtGetStatusName(status),
                                       api_.cublasLtGetStatusString(status));
  if (status == CUBLAS_STATUS_NOT_SUPPORTED || status == CUBLAS_STATUS_ARCH_MISMATCH) {
    throw NotSupported({}, device_.name(), text);
  }
  throw Error({}, device_.name(), text);
}

}  // namespace wick::runtime::cuda
