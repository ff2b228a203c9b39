#include "wick/runtime/cuda/gpu.h"

#include <utility>

namespace wick::runtime::cuda {
namespace {

struct OpenGpus {
  std::mutex mutex;
  std::vector<std::unique_ptr<Gpu>> by_ordinal;  // null: not opened
};

/// Never destroyed: the driver may be gone when static objects are.
OpenGpus& open_gpus() {
  static auto& instance = *new OpenGpus;  // NOLINT(cppcoreguidelines-owning-memory)
  return instance;
}

std::vector<std::unique_ptr<Gpu>> exchange_gpus(std::vector<std::unique_ptr<Gpu>> gpus) {
  OpenGpus& open = open_gpus();
  const std::lock_guard lock(open.mutex);
  return std::exchange(open.by_ordinal, std::move(gpus));
}

}  // namespace

Gpu::Gpu(const DriverApi& api, int ordinal)
    : device_(api, ordinal),
      stream_(device_),
      memory_(make_device_memory_manager(device_)),
      uploads_(device_),
      downloads_(device_) {}

Blas& Gpu::blas() {
  std::call_once(blas_once_, [this] { blas_ = std::make_unique<Blas>(device_, cublaslt()); });
  return *blas_;
}

Dnn& Gpu::dnn() {
  std::call_once(dnn_once_, [this] { dnn_ = std::make_unique<Dnn>(device_, cudnn()); });
  return *dnn_;
}

Gpu& gpu(int ordinal) {
  const DriverApi& api = driver();
  OpenGpus& open = open_gpus();
  const std::lock_guard lock(open.mutex);
  const auto at = static_cast<size_t>(ordinal);
  if (ordinal >= 0 && at < open.by_ordinal.size() && open.by_ordinal[at] != nullptr) {
    return *open.by_ordinal[at];
  }
  auto opened = std::make_unique<Gpu>(api, ordinal);  // throws for ordinals that do not exist
  if (open.by_ordinal.size() <= at) open.by_ordinal.resize(at + 1);
  open.by_ordinal[at] = std::move(opened);
  return *open.by_ordinal[at];
}

ScopedDriver::ScopedDriver(const DriverApi& api) : api_(api), previous_(exchange_gpus({})) {}

ScopedDriver::~ScopedDriver() {
  exchange_gpus(std::move(previous_));  // and the replacement's devices are closed here
}

}  // namespace wick::runtime::cuda
