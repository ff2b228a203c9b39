#include "wick/passes/pass_manager.h"

#include <chrono>
#include <stdexcept>

#include <fmt/format.h>

#include "wick/ir/verifier.h"
#include "wick/passes/pipeline_parser.h"

namespace wick::passes {

PassManager PassManager::parse(std::string_view pipeline) {
  PassManager manager;
  for (const PipelineStage& stage : parse_pipeline(pipeline, PassRegistry::instance())) {
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

void PassManager::run(ir::Graph& graph, PassContext& context) {
  using Clock = std::chrono::steady_clock;
  for (const std::unique_ptr<Pass>& pass : passes_) {
    for (const Instrumentation& each : instrumentations_) {
      if (each.before) each.before(*pass, graph);
    }
    context.set_running_pass(std::string(pass->name()));
    const Clock::time_point start = Clock::now();
    const bool changed = pass->run(graph, context);
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
