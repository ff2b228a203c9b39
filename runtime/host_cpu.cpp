#include "wick/runtime/host_cpu.h"

#include <fstream>

#include <unistd.h>

namespace wick::runtime {

std::string cpu_name() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);) {
    if (!line.starts_with("model name")) continue;
    const size_t colon = line.find(": ");
    if (colon != std::string::npos) return line.substr(colon + 2);
  }
  return "unknown";
}

bool is_amd() {
#ifdef __x86_64__
  return __builtin_cpu_is("amd") != 0;
#else
  return false;
#endif
}

int cpu_vector_bits() {
#ifdef __x86_64__
  if (__builtin_cpu_supports("avx512f")) return 512;
  if (__builtin_cpu_supports("avx2")) return 256;
#endif
  return 128;
}

int64_t core_cache_bytes() {
  static const int64_t found = sysconf(_SC_LEVEL2_CACHE_SIZE);
  constexpr int64_t kUsual = 524288;
  return found > 0 ? found : kUsual;  // the system may not know
}

}  // namespace wick::runtime
