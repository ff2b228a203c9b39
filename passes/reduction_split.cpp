#include "wick/passes/reduction_split.h"

#include <algorithm>
#include <functional>
#include <numeric>

#include "wick/passes/options.h"

namespace wick::passes {

namespace {

constexpr int64_t kLanes = 16;

/// Rows, or vectors of columns.
struct Tasks {
  int64_t enough;  // to keep a device busy
  int64_t few;     // so many are worth reading the data once instead of twice
  int64_t wanted;  // where there are less than enough
  int64_t least;   // elements of one that are worth a second launch
};

constexpr Tasks kHost{.enough = 32, .few = 8, .wanted = 64, .least = 1};
// A row is walked by a block of threads, of which a large GPU holds some hundreds, and each reads
// so many elements in the time of a launch.
constexpr Tasks kGpu{.enough = 256, .few = 64, .wanted = 1024, .least = int64_t{1} << 16};

/// Below this a second launch costs more than more threads save.
constexpr int64_t kMinElements = int64_t{1} << 16;
constexpr int64_t kMinBlockElements = int64_t{1} << 14;

using Level = ir::Domain::Level;

const Tasks& tasks() {
  return targets_gpu() ? kGpu : kHost;
}

/// Rows that lie beside each other, of more than caches hold: memory brings short pieces of them
/// slowly, and one thread reads them again at little cost.
bool has_long_columns(const ir::Domain& domain) {
  constexpr int64_t kLarge = int64_t{1} << 21;
  return !targets_gpu() && !domain.reduced.back() && domain.numel(Level::full) >= kLarge;
}

/// Kept dimensions that are contiguous run in vectors, or are few: fewer pieces than rows.
int64_t num_tasks(const ir::Domain& domain) {
  const int64_t rows = domain.numel(Level::row);
  if (domain.reduced.back()) return rows;
  if (has_few_columns(domain)) return rows / domain.extents.back();
  if (!has_long_columns(domain)) return (rows + kLanes - 1) / kLanes;
  const auto last = std::find(domain.reduced.rbegin(), domain.reduced.rend(), true);
  const int64_t run = std::accumulate(domain.extents.rbegin(),
                                      domain.extents.rbegin() + (last - domain.reduced.rbegin()),
                                      int64_t{1},
                                      std::multiplies<>());
  return rows / run * ((run + kPieceOfRow - 1) / kPieceOfRow);
}

/// Blocks of so many elements at most. Of columns each leaves a partial result for every column.
int64_t most_blocks(const ir::Domain& domain) {
  constexpr int64_t kFewestRows = 128;
  const int64_t elements = domain.numel(Level::full);
  const int64_t blocks = elements / kMinBlockElements;
  if (!has_long_columns(domain)) return blocks;
  return std::min(blocks, elements / domain.numel(Level::row) / kFewestRows);
}

}  // namespace

bool has_few_columns(const ir::Domain& domain) {
  const size_t dims = domain.extents.size();
  if (targets_gpu() || dims < 2 || domain.reduced[dims - 1] || !domain.reduced[dims - 2])
    return false;
  const int64_t columns = domain.extents.back();
  return columns > 1 && columns <= kFewColumns && domain.extents[dims - 2] >= kFewestRows;
}

int64_t num_reduction_blocks(const ir::Domain& domain) {
  if (!domain.has_reduced()) return 1;
  const int64_t elements = domain.numel(Level::full);
  if (elements < kMinElements) return 1;
  const int64_t whole = num_tasks(domain);
  if (whole >= tasks().enough || elements / std::max<int64_t>(1, whole) < tasks().least) return 1;
  return std::min((tasks().wanted + whole - 1) / whole, std::max<int64_t>(1, most_blocks(domain)));
}

int64_t num_blocks_in_memory_order(const ir::Domain& domain) {
  // Elements of what is walked at once; behind it blocks of channels store a vector for each sum.
  constexpr int64_t kShortestRun = 64;
  constexpr int64_t kShortestRunOfBlocks = 512;
  constexpr int64_t kLongestRun = int64_t{1} << 16;  // beyond that order hardly matters
  constexpr int64_t kOfMemory = int64_t{1} << 18;    // elements: less stays in a cache
  if (targets_gpu() || domain.numel(Level::full) < kOfMemory) return 1;
  const auto first_kept = std::ranges::find(domain.reduced, false);
  const auto behind = std::find(first_kept, domain.reduced.end(), true);
  if (first_kept == domain.reduced.begin() || behind == domain.reduced.end()) return 1;
  const auto extents_from = domain.extents.begin() + (behind - domain.reduced.begin());
  const int64_t run =
      std::accumulate(extents_from, domain.extents.end(), int64_t{1}, std::multiplies<>());
  const int64_t shortest = domain.reduced.back() ? kShortestRun : kShortestRunOfBlocks;
  if (run < shortest || run > kLongestRun) return 1;
  // As one of the dimensions in front has, or the one that they are walked as: no inner one is cut.
  return *std::max_element(domain.extents.begin(),
                           domain.extents.begin() + (first_kept - domain.reduced.begin()));
}

bool has_enough_rows(const ir::Domain& domain) {
  const int64_t few = has_long_columns(domain) ? 2 : tasks().few;
  return num_reduction_blocks(domain) <= 1 || num_tasks(domain) >= few;
}

bool can_take_columns(const ir::Domain& rows) {
  constexpr int64_t kShortRow = 32;   // which may be walked side by side
  constexpr int64_t kShortAxis = 16;  // which fills no vector
  return rows.has_rows() && rows.numel(Level::row) > 0 && rows.numel(Level::column) > kShortRow &&
         rows.extents.back() >= kShortAxis && num_reduction_blocks(rows) == 1;
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
