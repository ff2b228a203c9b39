#include "wick/passes/host_lanes.h"

#include <cstdlib>
#include <string_view>

namespace wick::passes {

int64_t host_lanes() {
  const char* chosen = std::getenv("WICK_CODEGEN_ISA");
  const std::string_view isa = chosen == nullptr ? "" : chosen;
  if (isa == "avx512") return 16;
  if (isa == "avx2" || isa == "sse") return 8;
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx512f") ? 16 : 8;
#else
  return 8;
#endif
}

}  // namespace wick::passes
