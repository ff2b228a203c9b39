#include "wick/runtime/cuda/gpu.h"

#include <utility>

namespace wick::runtime::cuda {
namespace {

struct OpenGpus {
  std::mutex mutex;
  std::vector<std::unique_ptr<Gpu>> by_ordinal;  // null: not opened
  ProgramCompiler* compiler = &nvrtc_compiler();
};

/// Never destroyed: the driver may be gone when static objects are.
OpenGpus& the_open_gpus() {
  static auto& instance = *new OpenGpus;  // NOLINT(cppcoreguidelines-owning-memory)
  return instance;
}

struct Opening {
  std::vector<std::unique_ptr<Gpu>> gpus;
  ProgramCompiler* compiler = nullptr;
};

Opening exchange(Opening opening) {
  OpenGpus& open = the_open_gpus();
  const std::lock_guard lock(open.mutex);
  return {std::exchange(open.by_ordinal, std::move(opening.gpus)),
          std::exchange(open.compiler, opening.compiler)};
}

}  // namespace

Gpu::Gpu(const DriverApi& api, int ordinal, ProgramCompiler& compiler)
    : device_(api, ordinal),
      stream_(device_),
      memory_(make_device_memory_manager(device_)),
      uploads_(device_),
      downloads_(device_),
      programs_(device_, compiler) {}

Blas& Gpu::blas() {
  std::call_once(blas_once_, [this] { blas_ = std::make_unique<Blas>(device_, cublaslt()); });
  return *blas_;
}

Dnn& Gpu::dnn() {
  std::call_once(dnn_once_, [this] { dnn_ = std::make_unique<Dnn>(device_, cudnn()); });
  return *dnn_;
}

std::vector<Gpu*> open_gpus() {
  OpenGpus& open = the_open_gpus();
  const std::lock_guard lock(open.mutex);
  std::vector<Gpu*> gpus;
  for (const std::unique_ptr<Gpu>& opened : open.by_ordinal) {
    if (opened != nullptr) gpus.push_back(opened.get());
  }
  return gpus;
}

Gpu& gpu(int ordinal) {
  const DriverApi& api = driver();
  OpenGpus& open = the_open_gpus();
  const std::lock_guard lock(open.mutex);
  const auto at = static_cast<size_t>(ordinal);
  if (ordinal >= 0 && at < open.by_ordinal.size() && open.by_ordinal[at] != nullptr) {
    return *open.by_ordinal[at];
  }
  auto opened =
      std::make_unique<Gpu>(api, ordinal, *open.compiler);  // throws for ordinals that do not exist
  if (open.by_ordinal.size() <= at) open.by_ordinal.resize(at + 1);
  open.by_ordinal[at] = std::move(opened);
  return *open.by_ordinal[at];
}

ScopedDriver::ScopedDriver(const DriverApi& api, ProgramCompiler& compiler) : api_(api) {
  Opening previous = exchange({{}, &compiler});
  previous_ = std::move(previous.gpus);
  previous_compiler_ = previous.compiler;
}

ScopedDriver::~ScopedDriver() {
  exchange({std::move(previous_), previous_compiler_});  // closes the replacement's
}

}  // namespace wick::runtime::cuda
