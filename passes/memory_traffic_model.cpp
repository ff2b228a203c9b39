#include "wick/passes/memory_traffic_model.h"

namespace wick::passes {

namespace {

/// Computing more than this again costs more than a load.
constexpr int64_t kCheapOps = 16;

/// Of what is not stored any more the store counts more than the load: it reads its lines first.
int64_t worth_of(const RecomputeCandidate& candidate) {
  const int64_t saved = candidate.bytes_saved();
  return candidate.is_only_reader() ? saved + saved / 4 : saved;
}

/// An exponential takes a core about as long as loading its result does.
int64_t cost_as_bytes(const RecomputeCandidate& candidate) {
  int64_t bytes = candidate.bytes_loaded();
  for (const ir::Node* op : candidate.ops()) {
    if (has(op->op(), ir::kCostly)) bytes += static_cast<int64_t>(op->type().num_bytes());
  }
  return bytes;
}

/// Right when none of the work stays behind or is done more than once, or when that takes less time
/// than to store a value for a single reader.
Objection check_costly(const RecomputeCandidate& candidate) {
  if (candidate.is_complete_move()) return {};
  if (candidate.num_readers() > 1) {
    constexpr auto kWhy = "with {} readers its costly ops are better computed once and stored";
    return {fusion_code::kReuse, kWhy, candidate.num_readers()};
  }
  if (candidate.is_repeated()) {
    return {fusion_code::kCost, "its costly ops would be computed for each time it is read"};
  }
  const bool is_small = static_cast<int64_t>(candidate.ops().size()) <= kCheapOps;
  if (is_small && cost_as_bytes(candidate) <= worth_of(candidate)) return {};
  return {fusion_code::kReuse, "its costly ops are needed where they are as well"};
}

/// Random bits come from two scalars. The mask of a dropout is drawn again in the backward pass
/// rather than kept until then.
bool is_better_drawn_again(const RecomputeCandidate& candidate) {
  return candidate.is_random() && static_cast<int64_t>(candidate.ops().size()) <= kCheapOps &&
         !candidate.is_repeated() && candidate.bytes_loaded() == 0;
}

Objection check_recomputed(const RecomputeCandidate& candidate) {
  if (candidate.value().type().numel() <= 1) return {};
  if (is_better_drawn_again(candidate)) return {};
  if (candidate.is_costly()) return check_costly(candidate);
  if (candidate.is_complete_move()) return {};
  const auto num_ops = static_cast<int64_t>(candidate.ops().size());
  if (num_ops > kCheapOps) {
    return {fusion_code::kCost, "computing it takes {} ops, more than {}", num_ops, kCheapOps};
  }
  // A mask is better stored than computed again from what takes four times the room.
  const int64_t loaded = candidate.bytes_loaded();
  const int64_t worth = worth_of(candidate);
  if (loaded == worth && loaded > 0 && candidate.is_stored_anyway()) {
    return {fusion_code::kCost, "it is stored anyway, and computing it again loads as much"};
  }
  if (loaded <= worth) return {};
  constexpr auto kWhy = "computing it again loads {} bytes to save {}";
  return {fusion_code::kCost, kWhy, loaded, candidate.bytes_saved()};
}

/// Partial results of columns should stay in a core's own cache, and be those of many rows.
Objection check_columns(const ir::Domain& rows) {
  constexpr int64_t kFewestRows = 64;
  constexpr int64_t kMostColumns = 16384;
  using Level = ir::Domain::Level;
  const int64_t num_rows = rows.numel(Level::row);
  const int64_t num_columns = rows.numel(Level::column);
  if (num_rows >= kFewestRows && num_columns <= kMostColumns) return {};
  constexpr auto kWhy = "one reduces {} rows of {} elements, the other reduces over the rows";
  return {fusion_code::kCost, kWhy, num_rows, num_columns};
}

class MemoryTrafficModel final : public FusionCostModel {
 public:
  [[nodiscard]] std::string_view name() const override { return kDefaultFusionCostModel; }

  [[nodiscard]] Objection merge(const MergeCandidate& candidate) const override {
    return candidate.columns_with_rows ? check_columns(candidate.fused.domain()) : Objection();
  }

  [[nodiscard]] Objection recompute(const RecomputeCandidate& candidate) const override {
    return check_recomputed(candidate);
  }
};

}  // namespace

std::unique_ptr<FusionCostModel> make_memory_traffic_model() {
  return std::make_unique<MemoryTrafficModel>();
}

}  // namespace wick::passes
