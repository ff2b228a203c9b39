#include "harness/inspection.h"

#include <memory>
#include <set>
#include <string_view>

#include "wick/passes/extension_points.h"
#include "wick/passes/pass_registry.h"
#include "wick/passes/plan_memory.h"
#include "wick/runtime/step_observer.h"
#include "wick/tensor/plan_cache.h"

namespace wick::bench {

namespace {

/// The inspection under way; null: none.
Inspection* current = nullptr;

using Look = void (*)(const ir::Graph& graph, Inspection& inspection);

/// Changes nothing.
class LookingPass final : public passes::Pass {
 public:
  LookingPass(std::string_view name, Look look) : name_(name), look_(look) {}

  [[nodiscard]] std::string_view name() const override { return name_; }

  bool run(ir::Graph& graph, passes::PassContext& /*context*/) override {
    if (current != nullptr) look_(graph, *current);
    return false;
  }

 private:
  std::string_view name_;  // a literal
  Look look_;
};

void look_at_work(const ir::Graph& graph, Inspection& inspection) {
  inspection.products.add(graph);
  for (const ir::Node* node : graph.parameters())
    inspection.edge_bytes += node->type().num_bytes();
  for (const ir::Value& result : graph.results())
    inspection.edge_bytes += result.type().num_bytes();
}

void look_at_memory(const ir::Graph& graph, Inspection& inspection) {
  const passes::MemoryPlan plan = passes::memory_plan_of(graph);
  inspection.arena_bytes += plan.arena_bytes;
  inspection.peak_live_bytes += plan.peak_live_bytes;
}

void add_pass(const char* point, const char* name, const char* summary, Look look) {
  passes::PassRegistry::instance().add(
      {.name = name,
       .summary = summary,
       .options = {},
       .create = [name, look](const passes::PassOptions& /*options*/)
           -> std::unique_ptr<passes::Pass> { return std::make_unique<LookingPass>(name, look); }});
  passes::extend_pipeline(point, name);
}

void add_passes() {
  static const bool once = [] {
    // Simplified, but products are still by themselves.
    add_pass("before-fusion", "bench-work", "collect products and bytes", look_at_work);
    add_pass("pipeline-end", "bench-memory", "collect the figures of memory plans", look_at_memory);
    return true;
  }();
  static_cast<void>(once);
}

}  // namespace

Inspection inspect(const std::function<void()>& step) {
  add_passes();
  Inspection inspection;
  std::set<const runtime::Plan*> seen;
  detail::PlanCache::instance().clear();
  current = &inspection;
  {
    const runtime::ScopedStepObserver scope(
        [&](const runtime::Plan& plan, size_t /*step*/, double /*seconds*/) {
          if (!seen.insert(&plan).second) return;
          const runtime::ProgramSummary& summary = plan.summary;
          ++inspection.num_programs;
          inspection.num_ops += summary.num_ops;
          inspection.num_kernels += summary.num_kernels;
          inspection.num_library_calls += summary.num_library_calls;
          inspection.num_interpreted += summary.num_interpreted;
          inspection.intermediate_bytes += static_cast<size_t>(summary.intermediate_bytes);
        });
    step();
  }
  current = nullptr;
  return inspection;
}

}  // namespace wick::bench
