#pragma once

// The files of codegen/cuda/device/, which every program begins with: generated ones, and those
// written by hand.

#include <string_view>

namespace wick::codegen::cuda {

extern const std::string_view device_text;

}  // namespace wick::codegen::cuda
