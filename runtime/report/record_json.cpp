#include "wick/runtime/report/record_json.h"

#include <string_view>

namespace wick::runtime {

namespace {

using nlohmann::json;

/// Empty for a place nobody knows.
std::string place_text(const Location& where) {
  return where.is_known() ? to_string(where) : std::string();
}

std::string_view level_name(codegen::KernelOrigin::Level level) {
  switch (level) {
    case codegen::KernelOrigin::Level::memory:
      return "memory";
    case codegen::KernelOrigin::Level::disk:
      return "disk";
    case codegen::KernelOrigin::Level::compiled:
      return "compiled";
  }
  return "";
}

json stages_json(const CompileRecord& record, bool with_text) {
  json stages = json::array();
  for (const auto& stage : record.pipeline.stages) {
    json& entry = stages.emplace_back(
        json{{"pass", stage.pass}, {"changed", stage.changed}, {"ms", stage.milliseconds}});
    if (with_text && stage.changed) entry["ir"] = stage.ir;
  }
  return stages;
}

json times_json(const CompileTimes& times) {
  return {{"import", times.import},
          {"passes", times.passes},
          {"lowering", times.lowering},
          {"kernels", times.kernels},
          {"plan", times.plan},
          {"total", times.total()}};
}

json remarks_json(const CompileRecord& record) {
  json remarks = json::array();
  for (const passes::Remark& remark : record.remarks) {
    remarks.push_back({{"pass", remark.pass},
                       {"code", remark.code},
                       {"missed", remark.missed},
                       {"where", place_text(remark.where)},
                       {"other", place_text(remark.other)},
                       {"text", remark.text}});
  }
  return remarks;
}

json kernels_json(const CompileRecord& record) {
  json kernels = json::array();
  for (const KernelRecord& kernel : record.kernels) {
    json listings = json::array();
    for (const codegen::CodeListing& listing : kernel.listings) {
      listings.push_back({{"language", listing.language},
                          {"extension", listing.extension},
                          {"text", listing.text}});
    }
    kernels.push_back({{"name", kernel.name},
                       {"where", place_text(kernel.where)},
                       {"graph", kernel.graph},
                       {"kernel", kernel.kernel_ir},
                       {"listings", std::move(listings)},
                       {"origin", level_name(kernel.origin.level)},
                       {"ms", kernel.origin.milliseconds}});
  }
  return kernels;
}

json values_json(const PlanRecord& plan) {
  json values = json::array();
  for (const PlanRecord::Value& value : plan.values) {
    values.push_back({{"name", value.name},
                      {"type", value.type},
                      {"op", value.op},
                      {"where", place_text(value.where)},
                      {"place", to_string(value.place)},
                      {"in_arena", value.place.kind == Place::Kind::arena},
                      {"offset", value.place.offset},
                      {"bytes", value.bytes},
                      {"defined_at", value.defined_at},
                      {"last_read", value.last_read}});
  }
  return values;
}

json steps_json(const PlanRecord& plan) {
  json steps = json::array();
  for (const PlanRecord::Step& step : plan.steps) {
    steps.push_back({{"name", step.name},
                     {"fusion", step.fusion},
                     {"kind", step.kind},
                     {"implementation", step.implementation},
                     {"where", place_text(step.where)},
                     {"reads", step.reads},
                     {"writes", step.writes},
                     {"kernel", step.kernel},
                     {"scratch_offset", step.scratch_offset},
                     {"scratch_bytes", step.scratch_bytes}});
  }
  return steps;
}

json plan_json(const CompileRecord& record) {
  const ProgramSummary& summary = record.summary;
  return {{"text", record.plan_text},
          {"values", values_json(record.plan)},
          {"steps", steps_json(record.plan)},
          {"value_bytes", record.plan.value_bytes},
          {"arena_bytes", record.plan.arena_bytes},
          {"peak_bytes", summary.planned_peak_bytes},
          {"intermediate_bytes", summary.intermediate_bytes}};
}

json environment_json(const CompileEnvironment& environment) {
  return {{"version", environment.version},
          {"backend", environment.backend},
          {"cpu", environment.cpu},
          {"target", environment.target},
          {"threads", environment.threads},
          {"variables", environment.variables},
          {"command_line", environment.command_line},
          {"directory", environment.directory},
          {"process", environment.process},
          {"time", environment.time}};
}

/// What the report and the list of compiles both show.
json summary_json(const CompileRecord& record) {
  return {{"number", record.number},
          {"graph", record.graph_name},
          {"hash", record.hash},
          {"reason", record.trigger.reason},
          {"where", place_text(record.trigger.where)},
          {"difference", record.trigger.difference},
          {"ops", record.summary.num_ops},
          {"launches", record.summary.num_kernels},
          {"library_calls", record.summary.num_library_calls},
          {"interpreted", record.summary.num_interpreted},
          {"times", times_json(record.times)},
          {"error", record.error}};
}

std::string text_of(const json& value, int indent) {
  return value.dump(indent, ' ', false, json::error_handler_t::replace);
}

}  // namespace

json to_json(const CompileRecord& record, std::span<const ReplayCommand> replay) {
  json all = summary_json(record);
  all["pipeline"] = record.pipeline.pipeline;
  all["recorded"] = record.pipeline.recorded;
  all["stages"] = stages_json(record, true);
  all["remarks"] = remarks_json(record);
  all["statistics"] = record.statistics;
  all["kernels"] = kernels_json(record);
  all["plan"] = plan_json(record);
  all["environment"] = environment_json(record.environment);
  all["replay"] = json::array();
  for (const ReplayCommand& command : replay)
    all["replay"].push_back({{"purpose", command.purpose}, {"command", command.command}});
  return all;
}

std::string timing_json(const CompileRecord& record) {
  json timing = summary_json(record);
  timing["kernels"] = record.kernels.size();
  timing["time"] = record.environment.time;
  timing["process"] = record.environment.process;
  timing["command_line"] = record.environment.command_line;
  timing["stages"] = stages_json(record, false);
  return text_of(timing, 2) + "\n";
}

std::string script_text(const json& value) {
  std::string text;
  for (const char c : text_of(value, -1))
    c == '<' ? text += "\\u003c" : text += c;
  return text;
}

}  // namespace wick::runtime
