#pragma once

// The files of codegen/cuda/device/, which every program begins with. Internal to codegen/cuda/.

#include <string_view>

namespace wick::codegen::cuda {

extern const std::string_view device_text;

}  // namespace wick::codegen::cuda
