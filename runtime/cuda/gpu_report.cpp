#include "wick/runtime/gpu_report.h"

#include <fmt/format.h>

#include "wick/codegen/cuda/nvrtc.h"
#include "wick/runtime/cuda/cublaslt.h"
#include "wick/runtime/cuda/cudnn.h"
#include "wick/runtime/cuda/device.h"
#include "wick/runtime/cuda/nccl.h"

namespace wick::runtime {
namespace {

/// cuBLASLt, cuDNN and NCCL number their versions alike: 91900 is 9.19.0.
std::string version_text(size_t version) {
  return fmt::format("{}.{}.{}", version / 10000, version / 100 % 100, version % 100);
}

/// The driver and NVRTC are numbered as CUDA: 13000 is 13.0.
std::string cuda_version_text(int version) {
  return fmt::format("{}.{}", version / 1000, version % 1000 / 10);
}

template <typename Api, typename Version>
GpuLibrary library(std::string name, const cuda::Found<Api>& found, Version version) {
  if (found.api == nullptr) return {std::move(name), "", found.problem};
  return {std::move(name), version(*found.api), ""};
}

GpuLibrary driver_library(const cuda::DriverApi& api) {
  int version = 0;
  api.cuDriverGetVersion(&version);
  return {"driver", "for CUDA " + cuda_version_text(version), ""};
}

GpuLibrary nvrtc_library() {
  const codegen::cuda::Nvrtc& nvrtc = codegen::cuda::Nvrtc::instance();
  if (!nvrtc.is_available()) return {"NVRTC", "", "no NVRTC: " + nvrtc.problem()};
  return {"NVRTC", cuda_version_text(nvrtc.version()), ""};
}

GpuLibrary nccl_library() {
  return library("NCCL", cuda::try_nccl(), [](const cuda::NcclApi& api) {
    int version = 0;
    api.ncclGetVersion(&version);
    return version_text(static_cast<size_t>(version));
  });
}

std::string gpu_line(const cuda::DriverApi& api, int ordinal) {
  const cuda::DeviceProperties properties = cuda::read_properties(api, ordinal);
  return fmt::format("cuda:{}: {}, sm_{}, {:.1f} GiB, {} multiprocessors",
                     ordinal,
                     properties.name,
                     properties.sm,
                     static_cast<double>(properties.memory_bytes) / (1U << 30U),
                     properties.multiprocessors);
}

/// GPUs and the driver that shows them.
void add_gpus(GpuReport& report) {
  const cuda::Found<cuda::DriverApi> driver = cuda::try_driver();
  if (driver.api == nullptr) {
    report.problem = driver.problem;
    return;
  }
  report.libraries.push_back(driver_library(*driver.api));
  try {
    const int count = cuda::device_count(*driver.api);
    for (int ordinal = 0; ordinal < count; ++ordinal)
      report.gpus.push_back(gpu_line(*driver.api, ordinal));
    if (count == 0) report.problem = "the driver shows no GPU";
  } catch (const Error& error) {
    report.problem = error.text();
  }
}

}  // namespace

GpuReport gpu_report() {
  GpuReport report;
  add_gpus(report);
  report.libraries.push_back(nvrtc_library());
  report.libraries.push_back(
      library("cuBLASLt", cuda::try_cublaslt(), [](const cuda::CublasLtApi& api) {
        return version_text(api.cublasLtGetVersion());
      }));
  report.libraries.push_back(library("cuDNN", cuda::try_cudnn(), [](const cuda::CudnnApi& api) {
    return version_text(api.cudnnGetVersion());
  }));
  report.libraries.push_back(nccl_library());
  return report;
}

}  // namespace wick::runtime
