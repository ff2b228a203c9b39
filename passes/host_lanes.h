#pragma once

#include <cstdint>

namespace wick::passes {

/// Floats in a vector of the machine that code is generated for: 16 with AVX-512, else 8.
/// WICK_CODEGEN_ISA makes this machine stand for another (docs/codegen.md).
int64_t host_lanes();

/// Whether it is a Zen 5, whose vectors of 16 take no longer than those of 8.
bool host_is_zen5();

}  // namespace wick::passes
