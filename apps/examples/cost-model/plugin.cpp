// Three fusion cost models. Each says when it would rather not fuse, and leaves the rest to the
// built-in model.

#include "wick/passes/plugin.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "wick/passes/fusion_cost_model.h"

namespace {

using wick::ir::Node;
using wick::passes::FusionCostModel;
using wick::passes::FusionGroup;
using wick::passes::MergeCandidate;
using wick::passes::Objection;
using wick::passes::RecomputeCandidate;

/// What the models below have in common: they start from the built-in one.
class Refinement : public FusionCostModel {
 public:
  [[nodiscard]] Objection merge(const MergeCandidate& candidate) const override {
    return built_in().merge(candidate);
  }

  [[nodiscard]] Objection recompute(const RecomputeCandidate& candidate) const override {
    return built_in().recompute(candidate);
  }

  [[nodiscard]] Objection evaluate(const RecomputeCandidate& candidate,
                                   int64_t more_ops) const override {
    return built_in().evaluate(candidate, more_ops);
  }

 private:
  static const FusionCostModel& built_in() {
    return wick::passes::find_fusion_cost_model(wick::passes::kDefaultFusionCostModel);
  }
};

/// The most values that are alive at once when the ops run in order: what is loaded lives from its
/// first use to its last, what is stored until it is computed.
int64_t peak_live_values(const FusionGroup& group) {
  const std::vector<const Node*> ops = group.ops();
  std::map<const Node*, size_t> last_use;
  for (size_t i = 0; i < ops.size(); ++i) {
    last_use.emplace(ops[i], i);
    for (const wick::ir::Value& operand : ops[i]->operands())
      last_use[operand.node] = i;
  }
  std::set<const Node*> live;
  size_t peak = 0;
  for (size_t i = 0; i < ops.size(); ++i) {
    for (const wick::ir::Value& operand : ops[i]->operands())
      live.insert(operand.node);
    live.insert(ops[i]);
    peak = std::max(peak, live.size());
    std::erase_if(live, [&](const Node* node) { return last_use[node] <= i; });
  }
  return static_cast<int64_t>(peak);
}

/// Kernels whose values stay in registers. AVX2 has 16 of them; the polynomials behind exp and tanh
/// take up to ten for their constants and steps.
class RegisterPressure final : public Refinement {
 public:
  static constexpr int64_t kRegisters = 5;

  [[nodiscard]] std::string_view name() const override { return "register-pressure"; }

  [[nodiscard]] Objection merge(const MergeCandidate& candidate) const override {
    const int64_t live = peak_live_values(candidate.fused);
    if (live > kRegisters) {
      return {"missed-registers",
              std::to_string(live) + " values would be alive at once, there are " +
                  std::to_string(kRegisters) + " registers"};
    }
    return Refinement::merge(candidate);
  }
};

/// Every op runs once for each of its elements, whatever traffic that costs.
class NeverRecompute final : public Refinement {
 public:
  [[nodiscard]] std::string_view name() const override { return "never-recompute"; }

  [[nodiscard]] Objection merge(const MergeCandidate& candidate) const override {
    if (candidate.recomputed_ops > 0) {
      return {"missed-recompute",
              "ops that would run again: " + std::to_string(candidate.recomputed_ops)};
    }
    return Refinement::merge(candidate);
  }

  [[nodiscard]] Objection recompute(const RecomputeCandidate& candidate) const override {
    if (candidate.is_complete_move()) return Refinement::recompute(candidate);
    return {"missed-recompute",
            "ops that would run in two kernels: " + std::to_string(candidate.ops().size())};
  }

  [[nodiscard]] Objection evaluate(const RecomputeCandidate& candidate,
                                   int64_t more_ops) const override {
    if (more_ops <= 0) return Refinement::evaluate(candidate, more_ops);
    return {"missed-recompute", "ops that would run again: " + std::to_string(more_ops)};
  }
};

/// A reduction ends its kernel: what reads a sum starts the next one. Simple schedulers that fuse
/// only what comes before a reduction do this.
class ReductionsEndKernels final : public Refinement {
 public:
  [[nodiscard]] std::string_view name() const override { return "reductions-end-kernels"; }

  [[nodiscard]] Objection merge(const MergeCandidate& candidate) const override {
    if (candidate.kind == MergeCandidate::Kind::producer && candidate.first.has_reduction()) {
      return {"missed-after-reduction",
              std::string(to_string(candidate.second_op.op())) +
                  " would follow a reduction, and save " + std::to_string(candidate.bytes_saved()) +
                  " bytes"};
    }
    return Refinement::merge(candidate);
  }
};

}  // namespace

WICK_PLUGIN("cost-models", "1.0") {
  using wick::passes::register_fusion_cost_model;
  register_fusion_cost_model(std::make_unique<RegisterPressure>());
  register_fusion_cost_model(std::make_unique<NeverRecompute>());
  register_fusion_cost_model(std::make_unique<ReductionsEndKernels>());
}
