#include "wick/codegen/llvm/host_target.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include <llvm/ADT/StringMap.h>
#include <llvm/TargetParser/Host.h>
#include <unistd.h>

#include "wick/passes/host_lanes.h"

namespace wick::codegen::llvm_jit {

namespace {

/// Of the data cache at this level, as this core sees it; 0: the system does not know, as in some
/// guests. The C library adds up the last levels of all of AMD's core complexes.
int64_t cache_bytes_of_level(int level) {
  for (int index = 0;; ++index) {
    const std::string folder = "/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(index);
    int found = 0;
    if (!(std::ifstream(folder + "/level") >> found)) return 0;
    int64_t size = 0;
    char unit = 0;
    if (found == level && std::ifstream(folder + "/size") >> size >> unit && unit == 'K')
      return size << 10U;
  }
}

/// Of a last level that many cores share, a core can count on little more than a few times what it
/// has for itself: beyond 8 times its second level of 2 MiB a copy runs at the speed of memory on
/// machines whose last level is 50 times as large. With a second level of 512 KiB it does not yet.
/// Of one that a few cores share it can count on five eighths. Several cores reach caches together
/// faster than one, memory hardly: where few share the last level, two copy 32 MiB of it in 0.32 ms
/// through the caches and in 0.59 past them (one: 0.63, 0.60), 64 MiB in 1.3 and 1.2.
void detect_caches(HostTarget& host) {
  constexpr int64_t kLeast = int64_t{16} << 20U;
  constexpr int64_t kFewCores = 32;
  const int64_t known = cache_bytes_of_level(2);
  const int64_t own = known > 0 ? known : sysconf(_SC_LEVEL2_CACHE_SIZE);
  const int64_t shared = cache_bytes_of_level(3);
  const bool few_share = shared <= kFewCores * own;
  int64_t usable = std::max(8 * own, kLeast);
  if (few_share) usable = std::max(shared / 8 * 5, usable);
  host.own_cache_bytes = own;
  host.cache_bytes = shared > 0 ? std::min(shared, usable) : usable;
  host.cache_bytes_of_threads =
      few_share ? std::max(shared / 2 * 3, host.cache_bytes) : host.cache_bytes;
}

HostTarget detect() {
  const llvm::StringMap<bool> features = llvm::sys::getHostCPUFeatures();
  std::vector<std::string> names;
  for (const auto& entry : features) {
    std::string name(1, entry.getValue() ? '+' : '-');
    names.push_back(name += entry.getKey().str());
  }
  std::ranges::sort(names);

  HostTarget host;
  host.triple = llvm::sys::getProcessTriple();
  host.cpu = llvm::sys::getHostCPUName().str();
  for (const std::string& name : names) {
    if (!host.features.empty()) host.features += ',';
    host.features += name;
  }
  detect_caches(host);
  // WICK_CODEGEN_ISA makes this machine stand for an older one, avx2 or sse for the least, or for
  // one whose code it may show but cannot run, avx512.
  const char* chosen = std::getenv("WICK_CODEGEN_ISA");
  const std::string_view isa = chosen == nullptr ? "" : chosen;
  if (isa == "avx512" || isa == "avx2" || isa == "sse") {
    host.cpu = isa == "avx512" ? "skylake-avx512" : isa == "avx2" ? "haswell" : "x86-64";
    host.features.clear();
    host.avx512 = isa == "avx512";
    host.lanes = host.avx512 ? 16 : isa == "avx2" ? 8 : 4;
    host.fma = isa != "sse";
    host.divides_beside = !host.avx512;
    return host;
  }
  host.zen = host.cpu.starts_with("znver");
  host.zen5 = passes::host_is_zen5();
  if (host.zen) host.features += ",+prefer-no-gather";
  const auto has = [&](const char* name) { return features.lookup(name); };
  host.avx512 = has("avx512f") && has("avx512bw") && has("avx512dq") && has("avx512vl");
  host.divides_beside = !host.avx512 || host.cpu == "znver4";
  host.fma = has("fma");
  if (host.avx512) {
    host.lanes = 16;
  } else if (has("avx2")) {
    host.lanes = 8;
  }
  return host;
}

}  // namespace

const HostTarget& host_target() {
  static const HostTarget kHost = detect();
  return kHost;
}

}  // namespace wick::codegen::llvm_jit
