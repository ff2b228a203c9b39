#pragma once

// How the work of a kernel launch is shared out.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "wick/runtime/plan.h"

namespace wick::runtime {

/// How a kernel launch is cut: `tasks` x `vectors` pieces of these grains.
struct LaunchCut {
  int64_t task_grain = 1;
  int64_t vector_grain = 1;
  int64_t task_pieces = 1;
  int64_t vector_pieces = 1;

  [[nodiscard]] int64_t pieces() const { return task_pieces * vector_pieces; }
};

/// Element operations of a launch, roughly.
int64_t work_of(const KernelStep& step);

/// Whether so much is worth waking threads.
bool is_worth_threads(int64_t work);

/// One piece for work that is not worth waking threads; otherwise a few a thread, by tasks first,
/// but for those that read the same lines, then by vectors at multiples of 64 lanes.
LaunchCut cut_launch(const KernelStep& step, int threads);

struct LaunchPiece {
  size_t launch;
  int64_t piece;
};

/// The pieces of launches side by side, in an order in which a thread's share of all of them is its
/// share of each: what launches behind each other walk alike, one core then reads and writes.
std::vector<LaunchPiece> share_pieces(std::span<const LaunchCut> launches, int threads);

}  // namespace wick::runtime
