#include "wick/passes/host_lanes.h"

#include <cstdlib>
#include <string_view>

namespace wick::passes {

namespace {

std::string_view chosen_isa() {
  const char* chosen = std::getenv("WICK_CODEGEN_ISA");
  return chosen == nullptr ? "" : chosen;
}

}  // namespace

int64_t host_lanes() {
  const std::string_view isa = chosen_isa();
  if (isa == "avx512") return 16;
  if (isa == "avx2" || isa == "sse") return 8;
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx512f") ? 16 : 8;
#else
  return 8;
#endif
}

bool host_is_zen5() {
#if defined(__x86_64__)
  // The first of AMD's processors to have this.
  return chosen_isa().empty() && __builtin_cpu_is("amd") &&
         __builtin_cpu_supports("avx512vp2intersect");
#else
  return false;
#endif
}

}  // namespace wick::passes
