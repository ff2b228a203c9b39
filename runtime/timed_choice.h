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
  /// Null where this way does not exist for the op.
  std::function<std::unique_ptr<HostCall>(const LibraryOp&)> make;
};

/// Keeps the memory that this thread times calls in, while one lives: fresh pages take longer than
/// the calls.
class TimingMemoryScope {
 public:
  TimingMemoryScope();
  TimingMemoryScope(const TimingMemoryScope&) = delete;
  TimingMemoryScope& operator=(const TimingMemoryScope&) = delete;
  ~TimingMemoryScope();
};

/// The candidate that is fastest on one thread for the sample: the op itself, or one like it that
/// takes less time. The first unless another is clearly faster, or where so little is computed
/// that timing costs more than it may save; the time of one that needs twice as much scratch
/// as its operands and result take counts 1.4 times. What was found is remembered by the process,
/// and on disk beside the compiled kernels: `machine` names what decides beside the sample. Where
/// several samples of nearly the same sizes had the same candidate, that is taken untimed. Null
/// where no candidate exists.
std::unique_ptr<HostCall> fastest_call(const LibraryOp& op,
                                       const LibraryOp& sample,
                                       const std::string& machine,
                                       std::span<const Candidate> candidates);

}  // namespace wick::runtime
