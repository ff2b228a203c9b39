#include "wick/passes/reduction_split.h"

#include <algorithm>

namespace wick::passes {

namespace {

constexpr int64_t kLanes = 16;
constexpr int64_t kEnoughTasks = 32;
/// So many are worth reading the data once instead of twice.
constexpr int64_t kFewTasks = 8;
constexpr int64_t kTasksWanted = 64;
/// Below this a second launch costs more than more threads save.
constexpr int64_t kMinElements = int64_t{1} << 16;
constexpr int64_t kMinBlockElements = int64_t{1} << 14;

using Level = ir::Domain::Level;

/// Kept dimensions that are contiguous run in vectors: fewer pieces than rows.
int64_t num_tasks(const ir::Domain& domain) {
  const int64_t rows = domain.numel(Level::row);
  return domain.reduced.back() ? rows : (rows + kLanes - 1) / kLanes;
}

}  // namespace

int64_t num_reduction_blocks(const ir::Domain& domain) {
  if (!domain.has_reduced()) return 1;
  const int64_t elements = domain.numel(Level::full);
  if (elements < kMinElements) return 1;
  const int64_t tasks = num_tasks(domain);
  if (tasks >= kEnoughTasks) return 1;
  const int64_t longest_block = elements / kMinBlockElements;
  return std::clamp<int64_t>((kTasksWanted + tasks - 1) / tasks, 1, longest_block);
}

bool has_enough_rows(const ir::Domain& domain) {
  return num_reduction_blocks(domain) <= 1 || num_tasks(domain) >= kFewTasks;
}

bool can_take_columns(const ir::Domain& rows) {
  constexpr int64_t kShortRow = 32;  // which are walked side by side
  return rows.has_rows() && rows.numel(Level::row) > 0 && rows.numel(Level::column) > kShortRow &&
         num_reduction_blocks(rows) == 1;
}

int64_t rows_of_block(const ir::Domain& rows) {
  constexpr int64_t kFewestRows = 16;
  constexpr int64_t kMostBlocks = 64;
  const int64_t count = rows.numel(Level::row);
  return std::max(kFewestRows, (count + kMostBlocks - 1) / kMostBlocks);
}

bool splits_in_blocks(ir::OpKind op) {
  return op != ir::OpKind::argmax;
}

}  // namespace wick::passes
