// A plan as data, with the kernels it launches.

#include <exception>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "wick/ir/check.h"
#include "wick/ir/format.h"
#include "wick/ir/printer.h"
#include "wick/runtime/compile_record.h"

namespace wick::runtime {

namespace {

/// The body of a fusion as a graph, which the pipeline makes into the same fusion again, with the
/// same operands to write over.
std::string standalone(const ir::Node& fusion, const std::string& name) {
  const auto graph = fusion.body()->clone();
  graph->set_name(name);
  for (const int64_t operand : fusion.attributes().integers("in_place")) {
    if (operand < 0) continue;
    graph->parameters()[static_cast<size_t>(operand)]->attributes().set("donate", true);
  }
  return ir::to_string(*graph, {.locations = true});
}

/// The code generator's texts, or one that says why there are none: the program runs without.
std::vector<codegen::CodeListing> listings_of(const KernelStep& launch,
                                              codegen::KernelProvider& provider) {
  try {
    return provider.listings(*launch.kernel, launch.params);
  } catch (const std::exception& failure) {
    return {{"error", "error.txt", fmt::format("{}\n", failure.what())}};
  }
}

std::string target_of(codegen::KernelProvider& provider) {
  try {
    return provider.target();
  } catch (const std::exception& failure) {
    return fmt::format("unknown: {}", failure.what());
  }
}

class PlanRecorder {
 public:
  PlanRecorder(const ir::Graph& graph,
               const Plan& plan,
               codegen::KernelProvider& provider,
               CompileRecord& record)
      : plan_(plan),
        provider_(provider),
        record_(record) {
    number_values(graph);
  }

  void run() {
    for (size_t v = 0; v < plan_.values.size(); ++v)
      record_.plan.values.push_back(value(v));
    for (size_t s = 0; s < plan_.steps.size(); ++s)
      record_.plan.steps.push_back(step(s));
    record_.plan.value_bytes = plan_.value_bytes;
    record_.plan.arena_bytes = plan_.arena_bytes;
  }

 private:
  /// A plan numbers the results of the graph's nodes in order; copies follow.
  void number_values(const ir::Graph& graph) {
    for (ir::Node* node = graph.first(); node != nullptr; node = node->next()) {
      for (int i = 0; i < node->num_results(); ++i)
        makers_.push_back({node, i});
    }
    check(makers_.size() <= plan_.values.size(), "a plan has a value for each of its graph");
  }

  [[nodiscard]] PlanRecord::Value value(size_t v) const {
    const PlanValue& from = plan_.values[v];
    PlanRecord::Value value{.name = from.name,
                            .type = to_string(from.type),
                            .op = "copy",
                            .where = {},
                            .place = from.place,
                            .bytes = from.type.num_bytes(),
                            .defined_at = from.defined_at,
                            .last_read = from.last_read};
    if (v < makers_.size()) {
      const ir::Value made = makers_[v];
      value.op = ir::to_string(made.node->op());
      value.where = made.node->location();
    }
    return value;
  }

  PlanRecord::Step step(size_t s) {
    const Step& from = plan_.steps[s];
    PlanRecord::Step step{.name = from.name,
                          .fusion = "",
                          .kind = "",
                          .implementation = "",
                          .where = from.where,
                          .reads = from.reads,
                          .writes = from.writes};
    if (const auto* kernel = std::get_if<KernelStep>(&from.action)) {
      step.kind = "kernel";
      const ir::Node& fusion = fusion_of(s);
      step.fusion = fusion.body()->name();
      step.kernel = static_cast<int>(kernel_number(fusion, *kernel));
      step.name = record_.kernels[static_cast<size_t>(step.kernel)].name;
    } else if (const auto* library = std::get_if<LibraryStep>(&from.action)) {
      step.kind = "library";
      step.implementation = library->call->implementation();
      step.scratch_offset = library->scratch_offset;
      step.scratch_bytes = library->scratch_bytes;
    } else if (std::holds_alternative<CopyStep>(from.action)) {
      step.kind = "copy";
    } else {
      step.kind = "interpreter";
    }
    return step;
  }

  /// The fusion that a launch belongs to. The first launch of a split one may write scratch alone.
  [[nodiscard]] const ir::Node& fusion_of(size_t s) const {
    while (plan_.steps[s].writes.empty()) {
      ++s;
      check(s < plan_.steps.size(), "a fusion has a launch that writes its result");
    }
    const ir::Node& fusion = *makers_[static_cast<size_t>(plan_.steps[s].writes.front())].node;
    check(fusion.body() != nullptr, "a kernel belongs to a fusion");
    return fusion;
  }

  size_t kernel_number(const ir::Node& fusion, const KernelStep& launch) {
    const auto [entry, is_new] =
        numbers_.try_emplace(codegen::identity(*launch.kernel), record_.kernels.size());
    if (is_new) record_.kernels.push_back(kernel(fusion, launch));
    return entry->second;
  }

  KernelRecord kernel(const ir::Node& fusion, const KernelStep& launch) {
    std::string name = launch.kernel->name;
    for (int part = 2; !kernel_names_.insert(name).second; ++part)
      name = fmt::format("{}_{}", launch.kernel->name, part);
    KernelRecord kernel{.name = name,
                        .where = fusion.location(),
                        .graph = standalone(fusion, name),
                        .kernel_ir = codegen::to_string(*launch.kernel),
                        .listings = {},
                        .origin = launch.origin};
    if (record_.wants_code) kernel.listings = listings_of(launch, provider_);
    return kernel;
  }

  const Plan& plan_;
  codegen::KernelProvider& provider_;
  CompileRecord& record_;
  std::vector<ir::Value> makers_;  // by number of the value
  std::map<Hash128, size_t> numbers_;
  std::set<std::string> kernel_names_;
};

}  // namespace

void record_plan(const ir::Graph& optimized,
                 const Plan& plan,
                 codegen::KernelProvider& provider,
                 CompileRecord& record) {
  PlanRecorder(optimized, plan, provider, record).run();
  if (record.wants_code) record.environment.target = target_of(provider);
  record.plan_text = to_string(plan);
  record.summary = plan.summary;
  const PlanBuildTimes& times = plan.build_times;
  record.times.lowering = times.lowering;
  record.times.kernels = times.kernels;
  record.times.plan = times.total - times.lowering - times.kernels;
}

}  // namespace wick::runtime
