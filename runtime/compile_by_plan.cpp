#include "wick/runtime/compile_by_plan.h"

#include <stdexcept>

#include <fmt/format.h>

#include "wick/passes/pass_manager.h"
#include "wick/runtime/built_in_backends.h"
#include "wick/runtime/executor.h"
#include "wick/runtime/options.h"
#include "wick/runtime/validate.h"

namespace wick::runtime {
namespace {

#ifdef NDEBUG
constexpr bool kDebugBuild = false;
#else
constexpr bool kDebugBuild = true;
#endif

void run_pipeline(ir::Graph& graph, bool verify_each) {
  const std::string& wanted = options().pipeline;
  auto pipeline = passes::PassManager::parse(wanted.empty() ? passes::default_pipeline() : wanted);
  pipeline.set_verify_each(verify_each);
  passes::PassContext context;
  pipeline.run(graph, context);
}

void verify_plan(const Plan& plan) {
  const auto broken = verify(plan);
  if (broken) throw std::logic_error(fmt::format("broken plan: {}\n{}", *broken, to_string(plan)));
}

}  // namespace

std::unique_ptr<Executable> compile_by_plan(std::unique_ptr<ir::Graph> graph,
                                            const PlanOptions& plan_options,
                                            CompileRecord* /*record*/) {
  const bool validate = options().validate;
  const bool verify_all = validate || kDebugBuild;
  std::unique_ptr<ir::Graph> reference = validate ? graph->clone() : nullptr;
  ProgramSummary recorded;
  count_recorded(*graph, recorded);
  run_pipeline(*graph, verify_all);
  std::unique_ptr<Plan> plan = build_plan(*graph, plan_options);
  plan->summary.num_ops = recorded.num_ops;
  plan->summary.intermediate_bytes = recorded.intermediate_bytes;
  if (verify_all) verify_plan(*plan);
  auto executable = make_executable(std::move(plan));
  if (!validate) return executable;
  return make_validating(std::move(executable), std::move(reference));
}

}  // namespace wick::runtime
