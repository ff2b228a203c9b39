#include "harness/peers.h"

#include <array>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "wick/runtime/host_cpu.h"

namespace wick::bench {

namespace {

/// Lines of what a command prints.
std::vector<std::string> lines_of(const std::string& command) {
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), pclose);
  if (!pipe) throw std::runtime_error(fmt::format("cannot run {}", command));
  std::vector<std::string> lines;
  std::array<char, 256> line{};
  while (std::fgets(line.data(), line.size(), pipe.get()) != nullptr) {
    std::string_view text(line.data());
    while (text.ends_with('\n'))
      text.remove_suffix(1);
    lines.emplace_back(text);
  }
  return lines;
}

}  // namespace

Peers::Peers(const PeerOptions& options, const MeasureOptions& measure)
    : options_(options),
      measure_(measure) {
  if (options_.program.empty()) return;
  // For the profiles' variables of the environment, which programs read wherever they are.
  options_.libraries = std::filesystem::absolute(options_.libraries).string();
  workloads_ = lines_of(fmt::format("'{}' --list", options_.program));
  if (workloads_.empty()) {
    throw std::runtime_error(fmt::format("{} lists no workloads", options_.program));
  }
}

std::vector<Peer> Peers::of(const std::string& row) const {
  std::vector<Peer> peers;
  for (const std::string& workload : workloads_) {
    const size_t colon = workload.find(':');
    if (workload.substr(0, colon) != row) continue;
    if (colon == std::string::npos) {
      peers.push_back({"stock", command(workload, "stock")});
      peers.push_back({"tuned", command(workload, "tuned")});
    } else if (workload.ends_with(":jit")) {
      peers.push_back({"fastjit", command(workload, "fastjit")});
    } else {
      peers.push_back({workload.substr(colon + 1), command(workload, "tuned")});
    }
  }
  return peers;
}

Command Peers::command(const std::string& workload, const std::string& profile) const {
  Command made{{options_.program, "--row", workload}, environment_of(measure_)};
  std::map<std::string, std::string>& environment = made.environment;
  if (profile == "stock") return made;
  // By itself it stays with AVX2 on machines that have more; what is asked for is not checked.
  if (runtime::cpu_vector_bits() == 512) environment["ATEN_CPU_CAPABILITY"] = "avx512";
  environment["LD_PRELOAD"] = options_.libraries + "/libjemalloc.so.2";
  environment["LD_LIBRARY_PATH"] = options_.libraries + "/openblas-openmp";
  environment["MALLOC_CONF"] =
      "oversize_threshold:0,thp:always,dirty_decay_ms:-1,muzzy_decay_ms:-1";
  if (profile == "fastjit") environment["CXX"] = options_.libraries + "/fast-cxx";
  return made;
}

}  // namespace wick::bench
