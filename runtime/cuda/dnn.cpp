#include "wick/runtime/cuda/dnn.h"

#include <array>

#include <fmt/format.h>

#include "wick/runtime/cuda/not_supported.h"

namespace wick::runtime::cuda {
namespace {

/// Statuses are numbered by category, a thousand each.
bool is_not_supported(cudnnStatus_t status) {
  return status / 1000 == CUDNN_STATUS_NOT_SUPPORTED / 1000;
}

}  // namespace

Dnn::Dnn(const Device& device, const CudnnApi& api) : device_(device), api_(api) {
  call("opening cuDNN", api.cudnnCreate, &handle_);
}

Dnn::~Dnn() {
  api_.cudnnDestroy(handle_);
}

void Dnn::execute(const Stream& stream,
                  cudnnBackendDescriptor_t plan,
                  cudnnBackendDescriptor_t variant_pack) const {
  const std::lock_guard lock(mutex_);
  call("running cuDNN", api_.cudnnSetStream, handle_, stream.handle());
  call("running cuDNN", api_.cudnnBackendExecute, handle_, plan, variant_pack);
}

void Dnn::expect_success(cudnnStatus_t status, const char* function, std::string_view doing) const {
  if (status == CUDNN_STATUS_SUCCESS) return;
  std::array<char, 512> said{};
  api_.cudnnGetLastErrorString(said.data(), said.size());
  const std::string text =
      fmt::format("{}: {}: {}: {}", doing, function, api_.cudnnGetErrorString(status), said.data());
  if (is_not_supported(status)) throw NotSupported({}, device_.name(), text);
  throw Error({}, device_.name(), text);
}

}  // namespace wick::runtime::cuda
