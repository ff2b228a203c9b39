#include "wick/runtime/cuda/blas.h"

#include <fmt/format.h>

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
  throw Error({},
              device_.name(),
              fmt::format("{}: {}: {}: {}",
                          doing,
                          function,
                          api_.cublasLtGetStatusName(status),
                          api_.cublasLtGetStatusString(status)));
}

}  // namespace wick::runtime::cuda
