#include "wick/runtime/cuda/cudnn.h"

#include <fmt/format.h>

namespace wick::runtime::cuda {
namespace {

Found<CudnnApi> open() {
  return open_table<CudnnApi>(
      "cuDNN",
      {.variable = "WICK_LIBCUDNN", .files = {fmt::format("libcudnn.so.{}", CUDNN_MAJOR)}});
}

}  // namespace

template <>
ApiSlot<CudnnApi>& api_slot<CudnnApi>() {
  static ApiSlot<CudnnApi> slot(&open);
  return slot;
}

}  // namespace wick::runtime::cuda
