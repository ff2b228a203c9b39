#include "wick/runtime/compile_by_plan.h"

#include <stdexcept>

#include <fmt/format.h>

#include "wick/passes/options.h"
#include "wick/passes/pipeline_run.h"
#include "wick/runtime/built_in_backends.h"
#include "wick/runtime/executor.h"
#include "wick/runtime/validate.h"

namespace wick::runtime {
namespace {

void verify_plan(const Plan& plan) {
  const auto broken = verify(plan);
  if (broken) throw std::logic_error(fmt::format("broken plan: {}\n{}", *broken, to_string(plan)));
}

}  // namespace

std::unique_ptr<Executable> compile_by_plan(std::unique_ptr<ir::Graph> graph,
                                            const PlanOptions& plan_options,
                                            CompileRecord* /*record*/) {
  const bool validate = options().validate;
  const bool verify_all = validate || options().verify_each;
  std::unique_ptr<ir::Graph> reference = validate ? graph->clone() : nullptr;
  ProgramSummary recorded;
  count_recorded(*graph, recorded);
  passes::PassContext context = passes::make_pass_context();
  passes::run_pipeline(*graph, context);
  std::unique_ptr<Plan> plan = build_plan(*graph, plan_options);
  plan->summary.num_ops = recorded.num_ops;
  plan->summary.intermediate_bytes = recorded.intermediate_bytes;
  if (verify_all) verify_plan(*plan);
  auto executable = make_executable(std::move(plan));
  if (!validate) return executable;
  return make_validating(std::move(executable), std::move(reference));
}

}  // namespace wick::runtime
