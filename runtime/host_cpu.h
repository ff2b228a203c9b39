#pragma once

// The processor that this process runs on.

#include <string>

namespace wick::runtime {

/// "AMD EPYC 7763 64-Core Processor"; "unknown" where the system does not say.
std::string cpu_name();

/// Of the widest vector instructions: 512, 256 or 128.
int cpu_vector_bits();

}  // namespace wick::runtime
