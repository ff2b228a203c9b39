#include "wick/codegen/llvm/host_target.h"

#include <algorithm>
#include <vector>

#include <llvm/ADT/StringMap.h>
#include <llvm/TargetParser/Host.h>

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
