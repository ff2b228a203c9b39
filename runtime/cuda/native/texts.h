#pragma once

// The files *.cuh and parameters.inc beside this one. Internal to runtime/cuda/native/.

#include <string_view>

namespace wick::runtime::cuda {

/// What every text holds behind codegen::cuda::device_text.
extern const std::string_view shared_text;
extern const std::string_view avg_pool_text;
extern const std::string_view argsort_text;
extern const std::string_view combine_text;
extern const std::string_view max_pool_text;
extern const std::string_view scan_text;
extern const std::string_view scatter_text;

}  // namespace wick::runtime::cuda
