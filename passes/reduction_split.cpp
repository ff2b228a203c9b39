#include "wick/passes/reduction_split.h"

#include <algorithm>

namespace wick::passes {

namespace {

constexpr int64_t kLanes = 16;
constexpr int64_t kEnoughTasks = 32;
constexpr int64_t kTasksWanted = 64;
/// Below this a second launch costs more than more threads save.
constexpr int64_t kMinElements = int64_t{1} << 16;
constexpr int64_t kMinBlockElements = int64_t{1} << 14;

}  // namespace

int64_t num_reduction_blocks(const ir::Domain& domain) {
  using Level = ir::Domain::Level;
  if (!domain.has_reduced()) return 1;
  const int64_t elements = domain.numel(Level::full);
  const int64_t rows = domain.numel(Level::row);
  if (elements < kMinElements || rows == 0) return 1;
  // Kept dimensions that are contiguous run in vectors: fewer pieces than rows.
  const int64_t tasks = domain.reduced.back() ? rows : (rows + kLanes - 1) / kLanes;
  if (tasks >= kEnoughTasks) return 1;
  const int64_t longest_block = elements / kMinBlockElements;
  return std::clamp<int64_t>((kTasksWanted + tasks - 1) / tasks, 1, longest_block);
}

bool splits_in_blocks(ir::OpKind op) {
  return op != ir::OpKind::argmax && op != ir::OpKind::argmin;
}

}  // namespace wick::passes
