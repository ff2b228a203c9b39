#pragma once

// The fastest of several ways of doing a call on a GPU, found by running them.

#include <functional>
#include <optional>
#include <span>
#include <string>

#include "wick/runtime/cuda/gpu.h"
#include "wick/runtime/library_call.h"

namespace wick::runtime::cuda {

/// Where a call finds what it works on, on the device.
struct CallAddresses {
  const void* const* operands = nullptr;
  void* result = nullptr;
  void* workspace = nullptr;
};

/// A way of doing a call, ready to be enqueued.
struct Way {
  size_t workspace_bytes = 0;
  std::function<void(const Stream&, const CallAddresses&)> enqueue;
};

/// A search for the fastest way of doing `op`. Ways have numbers, by which a library that is asked
/// again means the same ones.
class WayTrial {
 public:
  /// `gpu` and `op` outlive it. `library` names its version, and what else decides beside op and
  /// device.
  WayTrial(Gpu& gpu, const LibraryOp& op, const std::string& library);

  /// Ways to try at most: one where so little is computed that trying costs more than it may save.
  [[nodiscard]] size_t most_ways() const;

  /// The number of the way that was found before, by this process or an earlier one.
  [[nodiscard]] std::optional<size_t> known() const;

  /// The place of the fastest: the first unless another is clearly faster, or where no memory is
  /// left to try them. One that fails is not taken. Throws DeviceLost.
  [[nodiscard]] size_t fastest(std::span<const Way> ways) const;

  void keep(size_t number) const;

 private:
  Gpu& gpu_;
  const LibraryOp& op_;
  std::string problem_;
};

}  // namespace wick::runtime::cuda
