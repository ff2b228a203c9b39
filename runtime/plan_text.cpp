#include <iterator>
#include <string_view>

#include <fmt/format.h>

#include "wick/ir/format.h"
#include "wick/runtime/plan.h"

namespace wick::runtime {
namespace {

using Out = std::back_insert_iterator<std::string>;

std::string operand_text(const Plan& plan, int number) {
  const PlanValue& value = plan.values[static_cast<size_t>(number)];
  return fmt::format(
      "%{}: {} @{}:{}", value.name, value.type, to_string(value.place), value.type.num_bytes());
}

std::string operand_list(const Plan& plan, const std::vector<int>& numbers) {
  std::string text;
  for (const int number : numbers) {
    text += fmt::format("{}{}", text.empty() ? "" : ", ", operand_text(plan, number));
  }
  return text.empty() ? "nothing" : text;
}

struct ActionText {
  std::string operator()(const KernelStep& step) const {
    const std::string order =
        step.tasks_in_order == 1 ? std::string() : fmt::format(" in-order={}", step.tasks_in_order);
    return fmt::format("kernel    {{name}} tasks={}{} vectors={} work={}",
                       step.task_extent,
                       order,
                       step.vector_extent,
                       step.work_per_task);
  }

  std::string operator()(const LibraryStep& step) const {
    const std::string scratch =
        step.scratch_bytes == 0
            ? std::string()
            : fmt::format(" scratch=arena+{}:{}", step.scratch_offset, step.scratch_bytes);
    return fmt::format("library   {{name}} [{}]{}", step.call->implementation(), scratch);
  }

  std::string operator()(const InterpretStep& /*step*/) const { return "interpret {name}"; }

  std::string operator()(const CopyStep& /*step*/) const { return "copy      {name}"; }
};

void print_steps(const Plan& plan, Out out) {
  for (size_t s = 0; s < plan.steps.size(); ++s) {
    const Step& step = plan.steps[s];
    const std::string action = std::visit(ActionText{}, step.action);
    fmt::format_to(out,
                   "  {:>3} {}  {}\n",
                   s,
                   fmt::format(fmt::runtime(action), fmt::arg("name", step.name)),
                   to_string(step.where));
    fmt::format_to(out, "        reads  {}\n", operand_list(plan, step.reads));
    fmt::format_to(out, "        writes {}\n", operand_list(plan, step.writes));
  }
}

std::string step_text(const Plan& plan, int step) {
  if (step < 0) return "start";
  if (step >= static_cast<int>(plan.steps.size())) return "end";
  return fmt::format("{}", step);
}

void print_groups(const Plan& plan, Out out) {
  for (size_t s = 0; s < plan.group_ends.size(); s = static_cast<size_t>(plan.group_ends[s])) {
    const int last = plan.group_ends[s] - 1;
    if (last > static_cast<int>(s)) fmt::format_to(out, "  side by side: {} to {}\n", s, last);
  }
}

void print_live_ranges(const Plan& plan, Out out) {
  for (size_t v = 0; v < plan.values.size(); ++v) {
    const PlanValue& value = plan.values[v];
    const int last = value.last_read < value.defined_at ? value.defined_at : value.last_read;
    fmt::format_to(out,
                   "  {} live {}..{}\n",
                   operand_text(plan, static_cast<int>(v)),
                   step_text(plan, value.defined_at),
                   step_text(plan, last));
  }
}

std::string source_text(const ResultSource& source, size_t k) {
  switch (source.kind) {
    case ResultSource::Kind::fresh:
      return fmt::format("fresh buffer result:{}", k);
    case ResultSource::Kind::result:
      return fmt::format("shares result:{}", source.index);
    case ResultSource::Kind::param:
      return fmt::format("buffer of param:{}", source.index);
    case ResultSource::Kind::constant:
      return fmt::format("buffer of constant:{}", source.index);
  }
  return "";
}

}  // namespace

std::string to_string(const Place& place) {
  switch (place.kind) {
    case Place::Kind::arena:
      return fmt::format("arena+{}", place.offset);
    case Place::Kind::result:
      return fmt::format("result:{}", place.index);
    case Place::Kind::param:
      return fmt::format("param:{}", place.index);
    case Place::Kind::constant:
      return fmt::format("constant:{}", place.index);
  }
  return "";
}

std::string to_string(const Plan& plan) {
  const ProgramSummary& summary = plan.summary;
  std::string text;
  const Out out(text);
  fmt::format_to(out,
                 "plan @{}: {} ops, {} kernel launches, {} library calls, {} interpreted\n",
                 plan.name,
                 summary.num_ops,
                 summary.num_kernels,
                 summary.num_library_calls,
                 summary.num_interpreted);
  fmt::format_to(out, "steps:\n");
  print_steps(plan, out);
  print_groups(plan, out);
  fmt::format_to(out, "values:\n");
  print_live_ranges(plan, out);
  fmt::format_to(out, "results:\n");
  for (size_t k = 0; k < plan.results.size(); ++k) {
    fmt::format_to(out, "  {} {}: {}\n", k, plan.results[k], source_text(plan.sources[k], k));
  }
  fmt::format_to(out,
                 "arena {} bytes (values {}, scratch {}), peak {} bytes, intermediates {} bytes\n",
                 plan.arena_bytes,
                 plan.value_bytes,
                 plan.arena_bytes - plan.value_bytes,
                 summary.planned_peak_bytes,
                 summary.intermediate_bytes);
  return text;
}

}  // namespace wick::runtime
