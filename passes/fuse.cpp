#include "wick/passes/fuse.h"

#include <algorithm>
#include <memory>
#include <source_location>

#include "wick/ir/axis_split.h"
#include "wick/ir/check.h"
#include "wick/passes/fusion_clusters.h"
#include "wick/passes/fusion_inline.h"
#include "wick/passes/fusion_outline.h"
#include "wick/passes/fusion_parts.h"
#include "wick/passes/fusion_remarks.h"
#include "wick/passes/pass_options.h"

namespace wick::passes {

namespace {

using ir::Node;
using ir::OpKind;

class Fuse final : public Pass {
 public:
  Fuse(FusionLimits limits, const FusionCostModel& model) : limits_(limits), model_(model) {}

  [[nodiscard]] std::string_view name() const override { return "fuse"; }

  bool run(ir::Graph& graph, PassContext& context) override {
    for (const CycleSearch search : {CycleSearch::nearby, CycleSearch::everywhere}) {
      const std::unique_ptr<Decisions> best = best_decisions(graph, search, context);
      const auto order = order_of_units(graph, best->clusters);
      if (!order) continue;
      best->log.explain(best->clusters);
      const int count = outline_fusions(graph, best->clusters, *order);
      context.count("fusions", count);
      return count > 0;
    }
    check_failed("clusters depend on each other in a circle", std::source_location::current());
  }

 private:
  using CycleSearch = FusionClusters::CycleSearch;

  struct Decisions {
    FusionClusters clusters;
    FusionLog log;
  };

  std::unique_ptr<Decisions> best_decisions(ir::Graph& graph,
                                            CycleSearch search,
                                            PassContext& context) const {
    std::unique_ptr<Decisions> best = decide(graph, {}, search, context);
    if (!best->clusters.met_limits()) return best;
    // Some kernels have to end where others begin, and that decides what is stored.
    std::unique_ptr<Decisions> other = decide(graph, parts_of(graph, context), search, context);
    return other->clusters.bytes_moved() < best->clusters.bytes_moved() ? std::move(other)
                                                                        : std::move(best);
  }

  std::unique_ptr<Decisions> decide(ir::Graph& graph,
                                    const Parts& parts,
                                    CycleSearch search,
                                    PassContext& context) const {
    std::unique_ptr<Decisions> decisions(
        new Decisions{{graph, limits_, model_, parts, search}, FusionLog(context)});
    decide(*decisions);
    context.count("work", decisions->clusters.work());
    return decisions;
  }

  void decide(Decisions& decisions) const {
    auto& [clusters, log] = decisions;
    merge_producers(clusters, log);
    evict_first_reshapes(clusters);
    inline_producers(clusters, log);
    clusters.prune_unused();
    evict_last_reshapes(clusters);
    if (merge_siblings(clusters, log)) {
      // What several kernels read may be read by one now, which may as well compute it.
      clusters.prune_unused();
      inline_producers(clusters, log);
      clusters.prune_unused();
    }
    evict_lone_concats(clusters);
  }

  /// The kernels there would be if they could be much larger, in parts.
  Parts parts_of(ir::Graph& graph, PassContext& context) const {
    constexpr int64_t kTimes = 8;
    FusionLimits wide = limits_;
    wide.max_ops *= kTimes;
    wide.max_costly *= kTimes;
    wide.max_operands *= kTimes;
    FusionClusters clusters(graph, wide, model_);
    FusionLog unread(context);
    merge_producers(clusters, unread);
    context.count("work", clusters.work());
    return cut_into_parts(clusters, limits_);
  }

  /// Each op joins the clusters of what it reads, the latest first.
  static void merge_producers(FusionClusters& clusters, FusionLog& log) {
    for (Node* node : clusters.order()) {
      if (clusters.home(*node) == FusionClusters::kNone) continue;
      std::vector<Node*> producers;
      for (int i = 0; i < node->num_operands(); ++i) {
        Node* producer = node->operand(i).node;
        if (clusters.home(*producer) != FusionClusters::kNone) producers.push_back(producer);
      }
      std::ranges::sort(producers, std::greater{}, [&](const Node* producer) {
        return clusters.position(*producer);
      });
      for (Node* producer : producers) {
        if (clusters.home(*producer) == clusters.home(*node)) continue;
        log.merged(*producer, *node, clusters.merge(*producer, *node));
      }
    }
  }

  // A reshape is free outside of kernels, so it stays inside only between two ops of one.

  static void evict_first_reshapes(FusionClusters& clusters) {
    for (Node* node : clusters.order()) {
      const int number = clusters.home(*node);
      if (number == FusionClusters::kNone || node->op() != OpKind::reshape) continue;
      const Node& operand = *node->operand(0).node;
      if (!clusters.is_inside(operand, number) && !clusters.is_free(operand)) clusters.evict(*node);
    }
  }

  static void evict_last_reshapes(FusionClusters& clusters) {
    const std::vector<Node*>& order = clusters.order();
    for (auto node = order.rbegin(); node != order.rend(); ++node) {
      const int number = clusters.home(**node);
      if (number == FusionClusters::kNone || (*node)->op() != OpKind::reshape) continue;
      // A copy of what it shows cannot be stored in its place.
      if (clusters.home(*(*node)->operand(0).node) != number) continue;
      if (!clusters.is_read_inside(**node, number)) clusters.evict(**node);
    }
  }

  /// What copies memory asks once for each run which operand it is from, a kernel for each vector:
  /// four operands of [2835,57] to [2835,99] take 0.05 ms and 0.16.
  void evict_lone_concats(FusionClusters& clusters) const {
    for (Node* node : clusters.order()) {
      const int number = clusters.home(*node);
      if (number == FusionClusters::kNone || node->op() != OpKind::concat) continue;
      const auto is_free = [&](const ir::Value& operand) {
        return clusters.is_free(*operand.node);
      };
      if (clusters.num_ops(number) > 1 || std::ranges::any_of(node->operands(), is_free)) continue;
      if (bytes_of_row(*node) >= limits_.copied_row) clusters.evict(*node);
    }
  }

  static int64_t bytes_of_row(const Node& concat) {
    const int64_t axis = concat.attributes().integer("axis", 0);
    const int64_t rows = ir::split_at(concat.type().shape, axis).outer;
    return static_cast<int64_t>(concat.type().num_bytes()) / std::max<int64_t>(rows, 1);
  }

  FusionLimits limits_;
  const FusionCostModel& model_;
};

std::unique_ptr<Pass> create(const PassOptions& options) {
  const auto named = options.find("cost-model");
  const FusionCostModel& model =
      find_fusion_cost_model(named == options.end() ? kDefaultFusionCostModel : named->second);
  FusionLimits limits = model.limits();
  limits.max_ops = integer_option(options, "max-ops", limits.max_ops, 1);
  limits.max_costly = integer_option(options, "max-costly", limits.max_costly, 1);
  limits.max_operands = integer_option(options, "max-operands", limits.max_operands, 1);
  limits.max_concat = integer_option(options, "max-concat", limits.max_concat, 1);
  limits.copied_row = integer_option(options, "copied-row", limits.copied_row, 1);
  limits.columns_with_rows = flag_option(options, "columns-with-rows", limits.columns_with_rows);
  return std::make_unique<Fuse>(limits, model);
}

}  // namespace

PassInfo fuse_pass_info() {
  const FusionLimits limits;
  return {.name = "fuse",
          .summary = "group ops into fusions, each of which becomes one kernel or a few",
          .options = {{"columns-with-rows", "true"},
                      {"copied-row", std::to_string(limits.copied_row)},
                      {"cost-model", std::string(kDefaultFusionCostModel)},
                      {"max-concat", std::to_string(limits.max_concat)},
                      {"max-costly", std::to_string(limits.max_costly)},
                      {"max-ops", std::to_string(limits.max_ops)},
                      {"max-operands", std::to_string(limits.max_operands)}},
          .create = create};
}

}  // namespace wick::passes
