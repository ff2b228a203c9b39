#include "wick/passes/pipeline_run.h"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <regex>
#include <stdexcept>

#include <fmt/format.h>
#include <unistd.h>

#include "wick/ir/printer.h"
#include "wick/passes/pass_manager.h"
#include "wick/passes/pipeline_parser.h"
#include "wick/passes/reproducer.h"
#include "wick/passes/text_diff.h"

namespace wick::passes {

namespace {

/// One call, so that the lines of threads do not mix.
void print(const std::string& text) {
  std::fputs(text.c_str(), stderr);
}

bool wants_color() {
  return isatty(STDERR_FILENO) == 1 && std::getenv("NO_COLOR") == nullptr;
}

std::string text_of(const ir::Graph& graph, bool locations) {
  return ir::to_string(graph, {.locations = locations});
}

bool names(const std::vector<std::string>& list, const Pass& pass) {
  return std::ranges::find(list, pass.name()) != list.end();
}

void check_pass_names(const std::vector<std::string>& list, std::string_view flag) {
  for (const std::string& name : list) {
    if (PassRegistry::instance().find(name) != nullptr) continue;
    std::vector<std::string_view> known;
    for (const PassInfo* info : PassRegistry::instance().all())
      known.push_back(info->name);
    throw std::invalid_argument(
        fmt::format("{}: unknown pass '{}'{}", flag, name, did_you_mean(name, known)));
  }
}

/// Counts the passes of the process.
void bisect(PassManager& manager, const Options& options) {
  if (options.opt_bisect_limit < 0) return;
  static std::atomic<int64_t> passes_so_far{0};
  manager.add_instrumentation({.should_run = [&options](const Pass& pass, const ir::Graph& graph) {
    const int64_t number = ++passes_so_far;
    const bool runs = number <= options.opt_bisect_limit;
    print(fmt::format("BISECT: {}running pass ({}) {} on @{}\n",
                      runs ? "" : "NOT ",
                      number,
                      pass.name(),
                      graph.name()));
    return runs;
  }});
}

void print_graphs(PassManager& manager, const Options& options) {
  check_pass_names(options.print_ir_before, "--print-ir-before");
  check_pass_names(options.print_ir_after, "--print-ir-after");
  const auto show = [&options](std::string_view when, const Pass& pass, const ir::Graph& graph) {
    print(fmt::format("// {} {}\n{}", when, pass.name(), text_of(graph, options.print_locations)));
  };
  if (options.print_ir_before_all || !options.print_ir_before.empty()) {
    manager.add_instrumentation(
        {.before = [&options, show](const Pass& pass, const ir::Graph& graph) {
          if (options.print_ir_before_all || names(options.print_ir_before, pass))
            show("before", pass, graph);
        }});
  }
  if (options.print_ir_after_all || !options.print_ir_after.empty()) {
    manager.add_instrumentation(
        {.after = [&options, show](const Pass& pass, const ir::Graph& graph, bool, double) {
          if (options.print_ir_after_all || names(options.print_ir_after, pass))
            show("after", pass, graph);
        }});
  }
}

void print_changes(PassManager& manager, const Options& options, const ir::Graph& graph) {
  using Printing = Options::ChangePrinting;
  if (options.print_ir_after_change == Printing::off) return;
  const bool locations = options.print_locations;
  const bool diff = options.print_ir_after_change == Printing::diff;
  manager.add_instrumentation(
      {.after = [=, last = diff ? text_of(graph, locations) : std::string()](
                    const Pass& pass, const ir::Graph& after, bool changed, double) mutable {
        if (!changed) return;
        std::string text = text_of(after, locations);
        print(fmt::format(
            "// after {}\n{}", pass.name(), diff ? diff_lines(last, text, wants_color()) : text));
        if (diff) last = std::move(text);
      }});
}

void print_times(PassManager& manager, const Options& options) {
  if (!options.timing) return;
  manager.add_instrumentation(
      {.after = [](const Pass& pass, const ir::Graph&, bool, double milliseconds) {
        print(fmt::format("{:>10.3f} ms  {}\n", milliseconds, pass.name()));
      }});
}

void keep_stages(PassManager& manager, PipelineRecord* record) {
  if (record == nullptr) return;
  manager.add_instrumentation(
      {.after = [record](
                    const Pass& pass, const ir::Graph& graph, bool changed, double milliseconds) {
        record->stages.push_back({.pass = std::string(pass.name()),
                                  .changed = changed,
                                  .milliseconds = milliseconds,
                                  .ir = changed ? text_of(graph, true) : std::string()});
      }});
}

void print_remarks(const PassContext& context, const Options& options) {
  const std::regex done(options.remarks);
  const std::regex missed(options.remarks_missed);
  for (const Remark& remark : context.remarks()) {
    const std::string& asked = remark.missed ? options.remarks_missed : options.remarks;
    if (asked.empty() || !std::regex_search(remark.pass, remark.missed ? missed : done)) continue;
    print(to_string(remark) + "\n");
  }
}

void print_statistics(const PassContext& context) {
  for (const auto& [name, count] : context.statistics()) {
    if (count != 0) print(fmt::format("{:>8}  {}\n", count, name));
  }
}

}  // namespace

void run_pipeline(ir::Graph& graph, PassContext& context, PipelineRecord* record) {
  const Options& options = wick::options();
  check_pass_names(options.disable_passes, "--disable-passes");
  PassManager manager =
      PassManager::parse(options.pass_pipeline.empty() ? default_pipeline() : options.pass_pipeline,
                         options.disable_passes);
  manager.set_verify_each(options.verify_each || options.validate);
  std::string recorded = text_of(graph, true);
  if (record != nullptr) {
    record->pipeline = manager.text();
    record->recorded = recorded;
  }
  bisect(manager, options);
  print_graphs(manager, options);
  print_changes(manager, options, graph);
  print_times(manager, options);
  keep_stages(manager, record);
  Reproducer reproducer(manager.text(), std::move(recorded));
  try {
    manager.run(graph, context);
  } catch (const std::exception& failure) {
    reproducer.rethrow(context.running_pass(), failure);
  }
  if (!options.remarks.empty() || !options.remarks_missed.empty()) print_remarks(context, options);
  if (options.pass_statistics) print_statistics(context);
}

PassContext make_pass_context(bool wanted) {
  const Options& options = wick::options();
  return PassContext(wanted || options.log.fusion || !options.remarks.empty() ||
                     !options.remarks_missed.empty());
}

}  // namespace wick::passes
