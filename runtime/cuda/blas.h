#pragma once

// cuBLASLt on one device.

#include <compare>
#include <map>
#include <mutex>

#include "wick/ir/dtype.h"
#include "wick/runtime/cuda/cublaslt.h"
#include "wick/runtime/cuda/device.h"
#include "wick/runtime/cuda/epilogue.h"

namespace wick::runtime::cuda {

/// A strided batch of products in Wick's terms, row-major: result (m x n) = lhs (m x k) * rhs
/// (k x n), each of the batch a stride further. Alignments are in bytes and hold for each call.
struct StridedProduct {
  int64_t m = 0;
  int64_t n = 0;
  int64_t k = 0;
  bool transpose_lhs = false;  // stored k x m
  bool transpose_rhs = false;  // stored n x k
  int64_t batch = 1;
  int64_t lhs_stride = 0;
  int64_t rhs_stride = 0;
  uint32_t lhs_alignment = 0;
  uint32_t rhs_alignment = 0;
  uint32_t result_alignment = 0;
  DType dtype = DType::f32;
  Epilogue epilogue = Epilogue::none;
  bool tf32 = false;

  friend auto operator<=>(const StridedProduct&, const StridedProduct&) = default;
};

/// How cuBLASLt will compute a product.
struct MatmulAlgorithm {
  cublasLtMatmulAlgo_t code{};
  size_t workspace_bytes = 0;
};

/// A handle, and the algorithms chosen with it. Thread-safe.
class Blas {
 public:
  /// `device` and `api` outlive it. Throws Error.
  Blas(const Device& device, const CublasLtApi& api);
  Blas(const Blas&) = delete;
  Blas& operator=(const Blas&) = delete;
  ~Blas();

  [[nodiscard]] const Device& device() const { return device_; }

  [[nodiscard]] const CublasLtApi& api() const { return api_; }

  [[nodiscard]] cublasLtHandle_t handle() const { return handle_; }

  /// A failure throws Error "`doing`: cublasLtMatmul: CUBLAS_STATUS_...: ...", or NotSupported.
  template <typename... Parameters, typename... Arguments>
  void call(std::string_view doing,
            const ApiFunction<cublasStatus_t(Parameters...)>& function,
            Arguments... arguments) const {
    device_.activate();
    expect_success(function(arguments...), function.name(), doing);
  }

  /// The algorithm that `search` finds, kept for every later product that is equal: the same shape
  /// is computed the same way as long as the process lives.
  template <typename Search>
  MatmulAlgorithm algorithm(const StridedProduct& product, Search search) {
    const std::lock_guard lock(mutex_);
    const auto known = algorithms_.find(product);
    if (known != algorithms_.end()) return known->second;
    return algorithms_.emplace(product, search()).first->second;
  }

 private:
  void expect_success(cublasStatus_t status, const char* function, std::string_view doing) const;

  const Device& device_;
  const CublasLtApi& api_;
  cublasLtHandle_t handle_ = nullptr;
  std::mutex mutex_;
  std::map<StridedProduct, MatmulAlgorithm> algorithms_;
};

}  // namespace wick::runtime::cuda
