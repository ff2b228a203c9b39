#pragma once

// A sequence of launches recorded once and replayed with a single call.

#include <cstddef>
#include <functional>

#include "wick/runtime/cuda/stream.h"

namespace wick::runtime::cuda {

/// What was enqueued, with the addresses and arguments of that time: these stay alive and in place
/// as long as the graph. Replaying a graph of a hundred small kernels costs one launch instead of a
/// hundred.
class LaunchGraph {
 public:
  /// Calls `enqueue` with a stream that records instead of running. It is a stream of its own, so
  /// that other threads' work on the compute stream stays out of the graph; `enqueue` neither waits
  /// for anything nor allocates device memory. What it throws is passed on.
  LaunchGraph(const Device& device, const std::function<void(const Stream&)>& enqueue);
  LaunchGraph(const LaunchGraph&) = delete;
  LaunchGraph& operator=(const LaunchGraph&) = delete;
  /// No replay is in flight.
  ~LaunchGraph();

  /// Kernels, copies and fills in it.
  [[nodiscard]] size_t num_nodes() const { return num_nodes_; }

  /// Enqueues all of it.
  void launch(const Stream& stream) const;

 private:
  const Device& device_;
  size_t num_nodes_ = 0;
  CUgraphExec handle_ = nullptr;
};

}  // namespace wick::runtime::cuda
