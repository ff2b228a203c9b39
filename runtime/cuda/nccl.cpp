#include "wick/runtime/cuda/nccl.h"

#include <fmt/format.h>

namespace wick::runtime::cuda {
namespace {

Found<NcclApi> open() {
  return open_table<NcclApi>(
      "NCCL", {.variable = "WICK_LIBNCCL", .files = {fmt::format("libnccl.so.{}", NCCL_MAJOR)}});
}

}  // namespace

template <>
ApiSlot<NcclApi>& api_slot<NcclApi>() {
  static ApiSlot<NcclApi> slot(&open);
  return slot;
}

}  // namespace wick::runtime::cuda
