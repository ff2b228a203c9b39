#pragma once

// Other libraries' programs for the rows, and the ways to run them.

#include <string>
#include <vector>

#include "harness/measure.h"

namespace wick::bench {

struct PeerOptions {
  std::string program;    // empty: no peers
  std::string libraries;  // folder that ./dev bench --peers fills
};

/// A peer's program names its workloads with --list: `ROW` as a user would write it, or
/// `ROW:VARIANT` for another way to write it. Plain workloads run in two profiles, variants in the
/// one that is best for them:
///
///   stock    as installed
///   tuned    AVX-512 kernels, huge pages, memory that is kept, one thread pool
///   fastjit  for variant `jit`: tuned, and the fuser's C++ compiled for this machine by
///   -ffast-math
class Peers {
 public:
  /// Asks the program what it has. Throws std::runtime_error when it cannot be run.
  Peers(const PeerOptions& options, const MeasureOptions& measure);

  [[nodiscard]] std::vector<Peer> of(const std::string& row) const;

 private:
  [[nodiscard]] Command command(const std::string& workload, const std::string& profile) const;

  PeerOptions options_;
  MeasureOptions measure_;
  std::vector<std::string> workloads_;
};

}  // namespace wick::bench
