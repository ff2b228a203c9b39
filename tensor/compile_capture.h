#pragma once

// From a capture to something that runs.

#include <memory>
#include <source_location>
#include <string_view>

#include "wick/runtime/backend.h"
#include "wick/tensor/capture.h"

namespace wick::detail {

/// Compiles for the backend in force, under the materialization lock; shows the compile as the
/// switches ask, a failed one too.
std::unique_ptr<runtime::Executable> compile_capture(const Capture& capture,
                                                     std::string_view reason,
                                                     std::source_location where);

}  // namespace wick::detail
