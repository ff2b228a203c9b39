#include "wick/codegen/llvm/host_target.h"

#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <vector>

#include <llvm/ADT/StringMap.h>
#include <llvm/TargetParser/Host.h>
#include <unistd.h>

namespace wick::codegen::llvm_jit {

namespace {

/// Of a last level that many cores share, a core can count on little more than a few times what it
/// has for itself: beyond 8 times its second level of 2 MiB a copy runs at the speed of memory on
/// machines whose last level is 50 times as large. With a second level of 512 KiB it does not yet.
/// Of one that a few cores share it can count on most.
int64_t usable_cache_bytes() {
  constexpr int64_t kLeast = int64_t{16} << 20U;
  constexpr int64_t kFewCores = 32;
  const int64_t own = sysconf(_SC_LEVEL2_CACHE_SIZE);  // 0 or less: the system does not know
  const int64_t shared = sysconf(_SC_LEVEL3_CACHE_SIZE);
  int64_t usable = std::max(8 * own, kLeast);
  if (shared <= kFewCores * own) usable = std::max(shared / 4 * 3, usable);
  return shared > 0 ? std::min(shared, usable) : usable;
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
  host.cache_bytes = usable_cache_bytes();
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
    return host;
  }
  host.zen = host.cpu.starts_with("znver");
  if (host.zen) host.features += ",+prefer-no-gather";
  const auto has = [&](const char* name) { return features.lookup(name); };
  host.avx512 = has("avx512f") && has("avx512bw") && has("avx512dq") && has("avx512vl");
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
