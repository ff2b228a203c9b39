#pragma once

// The processor that this process runs on.

#include <cstdint>
#include <string>

namespace wick::runtime {

/// "AMD EPYC 7763 64-Core Processor"; "unknown" where the system does not say.
std::string cpu_name();

/// Whether AMD made it.
bool is_amd();

/// Of the widest vector instructions: 512, 256 or 128.
int cpu_vector_bits();

/// Of a core's own second-level cache.
int64_t core_cache_bytes();

}  // namespace wick::runtime
