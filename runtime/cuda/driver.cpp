#include "wick/runtime/cuda/driver.h"

#include <fmt/format.h>

#include "wick/runtime/cuda/status.h"

namespace wick::runtime::cuda {
namespace {

/// Fills the table by base names; the driver picks the versions that cuda.h declares. (Looked up
/// by dlsym, `cuMemAlloc` would be the function of CUDA 3 with 32-bit sizes.) Gives what is missing
/// first, or "".
std::string fill(DriverApi& api, decltype(::cuGetProcAddress)* get_address) {
  std::string missing;
  api.for_each([&](auto& function) {
    void* address = nullptr;
    const CUresult result =
        get_address(function.name(), &address, CUDA_VERSION, CU_GET_PROC_ADDRESS_DEFAULT, nullptr);
    if ((result != CUDA_SUCCESS || address == nullptr) && missing.empty()) {
      missing = fmt::format("{} (error {})", function.name(), static_cast<int>(result));
    }
    function.point_to_address(address);
  });
  return missing;
}

Found<DriverApi> open_driver() {
  const codegen::cuda::DynamicLibrary library(
      {.variable = "WICK_LIBCUDA", .files = {"libcuda.so.1"}});
  if (!library.is_open()) return {nullptr, "no driver: " + library.problem()};
  const std::string file = "no driver: " + library.path();
  auto* get_address = library.function<decltype(::cuGetProcAddress)>("cuGetProcAddress_v2");
  if (get_address == nullptr) return {nullptr, file + " is older than CUDA 12"};
  auto api = std::make_unique<DriverApi>();
  const std::string missing = fill(*api, get_address);
  if (!missing.empty()) return {nullptr, file + " lacks " + missing};
  const CUresult started = api->cuInit(0);
  if (started != CUDA_SUCCESS) return {nullptr, "no GPU: cuInit: " + to_string(*api, started)};
  return {api.release(), ""};  // kept for good, as the library is
}

}  // namespace

template <>
ApiSlot<DriverApi>& api_slot<DriverApi>() {
  static ApiSlot<DriverApi> slot(&open_driver);
  return slot;
}

}  // namespace wick::runtime::cuda
