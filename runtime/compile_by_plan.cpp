#include "wick/runtime/compile_by_plan.h"

#include <stdexcept>

#include <fmt/format.h>

#include "wick/passes/options.h"
#include "wick/passes/pipeline_run.h"
#include "wick/runtime/built_in_backends.h"
#include "wick/runtime/cached_kernels.h"
#include "wick/runtime/compile_record.h"
#include "wick/runtime/validate.h"

namespace wick::runtime {
namespace {

void verify_plan(const Plan& plan) {
  const auto broken = verify(plan);
  if (broken) throw std::logic_error(fmt::format("broken plan: {}\n{}", *broken, to_string(plan)));
}

void tell(const passes::PassContext& context, CompileRecord& record) {
  record.remarks = context.remarks();
  for (const auto& [name, count] : context.statistics()) {
    if (count != 0) record.statistics.emplace(name, count);
  }
  for (const auto& stage : record.pipeline.stages)
    record.times.passes += stage.milliseconds;
}

/// Tells what the passes did even when one of them throws.
void optimize(ir::Graph& graph, CompileRecord* record) {
  passes::PassContext context = passes::make_pass_context(/*wanted=*/record != nullptr);
  if (record == nullptr) return passes::run_pipeline(graph, context);
  try {
    passes::run_pipeline(graph, context, &record->pipeline);
  } catch (...) {
    tell(context, *record);
    throw;
  }
  tell(context, *record);
}

}  // namespace

std::unique_ptr<Executable> compile_by_plan(std::unique_ptr<ir::Graph> graph,
                                            const PlanOptions& plan_options,
                                            CompileRecord* record,
                                            const MakeExecutable& make) {
  const bool validate = options().validate;
  const bool verify_all = validate || options().verify_each;
  std::unique_ptr<ir::Graph> reference = validate ? graph->clone() : nullptr;
  ProgramSummary recorded;
  count_recorded(*graph, recorded);
  {
    Options own = options();
    if (!plan_options.backend.empty()) own.backend = plan_options.backend;
    const ScopedOptions scope(std::move(own));
    optimize(*graph, record);
  }
  std::unique_ptr<Plan> plan = build_plan(*graph, plan_options);
  plan->summary.num_ops = recorded.num_ops;
  plan->summary.intermediate_bytes = recorded.intermediate_bytes;
  if (verify_all) verify_plan(*plan);
  if (record != nullptr) {
    codegen::KernelProvider* const kernels = plan_options.kernels;
    record_plan(*graph, *plan, kernels == nullptr ? cached_kernels() : *kernels, *record);
  }
  auto executable = make(std::move(plan));
  if (!validate) return executable;
  return make_validating(std::move(executable), std::move(reference));
}

}  // namespace wick::runtime
