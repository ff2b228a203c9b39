#pragma once

// The fastest of several ways of doing one library call, found by running them.

#include <functional>
#include <memory>
#include <span>
#include <string>

#include "wick/runtime/library_call.h"

namespace wick::runtime {

struct Candidate {
  std::string name;
  /// Null where this way does not exist.
  std::function<std::unique_ptr<HostCall>()> make;
};

/// The candidate that is fastest for this op on one thread; the first unless another is clearly
/// faster. What was found is remembered by the process, and on disk beside the compiled kernels:
/// `machine` names what decides beside the op. Null where no candidate exists.
std::unique_ptr<HostCall> fastest_call(const LibraryOp& op,
                                       const std::string& machine,
                                       std::span<const Candidate> candidates);

}  // namespace wick::runtime
