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
  // 0 or less where the system does not know.
  if (const int64_t bytes = sysconf(_SC_LEVEL3_CACHE_SIZE); bytes > 0) host.cache_bytes = bytes;
  // WICK_CODEGEN_ISA makes this machine stand for an older one: avx2, or sse for the least.
  const char* chosen = std::getenv("WICK_CODEGEN_ISA");
  const std::string_view isa = chosen == nullptr ? "" : chosen;
  if (isa == "avx2" || isa == "sse") {
    host.cpu = isa == "avx2" ? "haswell" : "x86-64";
    host.features.clear();
    host.lanes = isa == "avx2" ? 8 : 4;
    host.fma = isa == "avx2";
    return host;
  }
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
