#include "wick/passes/pass_manager.h"

#include <algorithm>
#include <chrono>
#include <stdexcept>

#include <fmt/format.h>

#include "wick/ir/profile.h"
#include "wick/ir/verifier.h"
#include "wick/passes/pipeline_parser.h"

namespace wick::passes {

namespace {

bool run_profiled(Pass& pass, ir::Graph& graph, PassContext& context) {
  profile::Slice slice("pass", pass.name());
  const bool changed = pass.run(graph, context);
  slice.arg("changed", changed);
  return changed;
}

}  // namespace

PassManager PassManager::parse(std::string_view pipeline, std::span<const std::string> leave_out) {
  PassManager manager;
  std::vector<PipelineStage> stages = parse_pipeline(pipeline, PassRegistry::instance());
  std::erase_if(stages, [&](const PipelineStage& stage) {
    return std::ranges::find(leave_out, stage.info->name) != leave_out.end();
  });
  manager.text_ = to_string(stages);
  for (const PipelineStage& stage : stages) {
    try {
      manager.add(stage.info->create(stage.options));
    } catch (const std::invalid_argument& error) {
      const std::string message = fmt::format("pass '{}': {}", stage.info->name, error.what());
      throw std::invalid_argument(pipeline_error(message, pipeline, stage.column));
    }
  }
  return manager;
}

void PassManager::add(std::unique_ptr<Pass> pass) {
  passes_.push_back(std::move(pass));
}

void PassManager::add_instrumentation(Instrumentation instrumentation) {
  instrumentations_.push_back(std::move(instrumentation));
}

/// Everyone is asked: those who count passes count those that others leave out too.
bool PassManager::should_run(const Pass& pass, const ir::Graph& graph) const {
  bool wanted = true;
  for (const Instrumentation& each : instrumentations_)
    wanted = (!each.should_run || each.should_run(pass, graph)) && wanted;
  return wanted;
}

void PassManager::run(ir::Graph& graph, PassContext& context) {
  using Clock = std::chrono::steady_clock;
  for (const std::unique_ptr<Pass>& pass : passes_) {
    context.set_running_pass(std::string(pass->name()));
    if (!should_run(*pass, graph)) continue;
    for (const Instrumentation& each : instrumentations_) {
      if (each.before) each.before(*pass, graph);
    }
    const Clock::time_point start = Clock::now();
    const bool changed = run_profiled(*pass, graph, context);
    const std::chrono::duration<double, std::milli> took = Clock::now() - start;
    if (verify_each_) {
      if (const auto broken = ir::verify(graph)) {
        throw std::logic_error(
            fmt::format("pass '{}' left a broken graph: {}", pass->name(), *broken));
      }
    }
    for (const Instrumentation& each : instrumentations_) {
      if (each.after) each.after(*pass, graph, changed, took.count());
    }
  }
  context.set_running_pass("");
}

}  // namespace wick::passes
