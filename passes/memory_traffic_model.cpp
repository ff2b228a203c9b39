#include "wick/passes/memory_traffic_model.h"

namespace wick::passes {

namespace {

/// Computing more than this again costs more than a load.
constexpr size_t kCheapOps = 16;

bool is_worth_recomputing(const RecomputeCandidate& candidate) {
  if (candidate.value().type().numel() <= 1) return true;
  // Right when none of the work stays behind or is done more than once.
  if (candidate.is_costly()) return candidate.is_complete_move();
  if (candidate.is_move()) return true;
  if (candidate.ops().size() > kCheapOps) return false;
  // A mask is better stored than computed again from what takes four times the room.
  return candidate.bytes_loaded() <= candidate.bytes_saved();
}

class MemoryTrafficModel final : public FusionCostModel {
 public:
  [[nodiscard]] std::string_view name() const override { return kDefaultFusionCostModel; }

  [[nodiscard]] Objection merge(const MergeCandidate& /*candidate*/) const override { return {}; }

  [[nodiscard]] Objection recompute(const RecomputeCandidate& candidate) const override {
    if (is_worth_recomputing(candidate)) return {};
    return "missed-cost";
  }
};

}  // namespace

std::unique_ptr<FusionCostModel> make_memory_traffic_model() {
  return std::make_unique<MemoryTrafficModel>();
}

}  // namespace wick::passes
