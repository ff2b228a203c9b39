#pragma once

// cuDNN on one device.

#include <mutex>

#include "wick/runtime/cuda/cudnn.h"
#include "wick/runtime/cuda/stream.h"

namespace wick::runtime::cuda {

/// A handle. Thread-safe.
class Dnn {
 public:
  /// `device` and `api` outlive it. Throws Error.
  Dnn(const Device& device, const CudnnApi& api);
  Dnn(const Dnn&) = delete;
  Dnn& operator=(const Dnn&) = delete;
  ~Dnn();

  [[nodiscard]] const Device& device() const { return device_; }

  [[nodiscard]] const CudnnApi& api() const { return api_; }

  [[nodiscard]] cudnnHandle_t handle() const { return handle_; }

  /// A failure throws Error "`doing`: cudnnBackendFinalize: CUDNN_STATUS_...: what cuDNN says",
  /// or NotSupported.
  template <typename... Parameters, typename... Arguments>
  void call(std::string_view doing,
            const ApiFunction<cudnnStatus_t(Parameters...)>& function,
            Arguments... arguments) const {
    device_.activate();
    expect_success(function(arguments...), function.name(), doing);
  }

  /// Enqueues a plan with its addresses.
  void execute(const Stream& stream,
               cudnnBackendDescriptor_t plan,
               cudnnBackendDescriptor_t variant_pack) const;

 private:
  void expect_success(cudnnStatus_t status, const char* function, std::string_view doing) const;

  const Device& device_;
  const CudnnApi& api_;
  cudnnHandle_t handle_ = nullptr;
  mutable std::mutex mutex_;  // the handle holds the stream during a call
};

}  // namespace wick::runtime::cuda
