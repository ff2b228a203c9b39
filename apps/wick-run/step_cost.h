#pragma once

// What a step moves and computes, from its types.

#include <cstdint>
#include <optional>
#include <string>

#include "wick/runtime/plan.h"

namespace wick::run {

/// Bytes of what the step reads and writes, each value once.
int64_t bytes_moved(const runtime::Plan& plan, const runtime::Step& step);

/// Additions and multiplications of a contraction; empty for other steps.
std::optional<int64_t> operations(const runtime::Step& step);

/// `kernel`, `onednn matmul`, `interpreter`, `copy`.
std::string kind_of(const runtime::Step& step);

}  // namespace wick::run
