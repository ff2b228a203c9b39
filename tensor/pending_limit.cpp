#include "wick/tensor/pending_limit.h"

#include <algorithm>
#include <atomic>

#include "wick/passes/options.h"
#include "wick/tensor/materialize.h"

namespace wick::detail {

namespace {

/// Where this thread cut last.
struct Anchor {
  const char* file = nullptr;
  uint32_t line = 0;
  uint32_t column = 0;
  ir::OpKind op = ir::OpKind::parameter;

  friend bool operator==(const Anchor&, const Anchor&) = default;
};

thread_local Anchor anchor;

constexpr int64_t kMaxPendingNodes = 1 << 20;
constexpr int64_t kNodesPerDepth = 4;  // a larger depth cap asks for larger graphs
constexpr uint32_t kLatestCut = 4;

// Many pending nodes may be none of this op's operands; then the next cut waits until there are as
// many again.
std::atomic<int64_t> nodes_kept_by_last_cut{0};

bool too_many_nodes(int64_t depth_cap) {
  const int64_t limit = std::max(kMaxPendingNodes, kNodesPerDepth * depth_cap);
  return num_pending_nodes() > limit + nodes_kept_by_last_cut.load(std::memory_order_relaxed);
}

bool should_cut_at(uint32_t depth, uint32_t cap, const Anchor& site) {
  if (anchor.file == nullptr || site == anchor) return true;
  return depth / kLatestCut > cap;
}

}  // namespace

bool limit_pending(uint32_t depth,
                   ir::OpKind op,
                   std::span<const Ref<Node>> operands,
                   std::source_location where) {
  const auto cap = static_cast<uint32_t>(std::max(options().max_pending, 1));
  const bool wide = too_many_nodes(cap);
  if (depth <= cap && !wide) [[likely]]
    return false;
  if (depth <= 1) return false;

  const Anchor site{where.file_name(), where.line(), where.column(), op};
  if (!wide && !should_cut_at(depth, cap, site)) return false;
  materialize_nodes(
      operands, {wide ? "many pending ops" : "a long chain of pending ops", true}, where);
  anchor = site;
  if (wide) nodes_kept_by_last_cut.store(num_pending_nodes(), std::memory_order_relaxed);
  return true;
}

}  // namespace wick::detail
