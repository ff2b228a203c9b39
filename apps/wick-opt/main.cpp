// wick-opt: reads graph IR, runs passes over it, prints what they made of it.

#include <cstdio>
#include <stdexcept>
#include <string>
#include <utility>

#include "emit.h"
#include "listing.h"
#include "report_page.h"
#include "support/tool.h"
#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "wick/ir/parser.h"
#include "wick/ir/printer.h"
#include "wick/passes/options.h"
#include "wick/passes/pass_manager.h"
#include "wick/passes/pipeline_run.h"
#include "wick/passes/plan_memory.h"
#include "wick/passes/plugin.h"
#include "wick/passes/reproducer.h"

namespace {

using namespace wick;  // NOLINT(google-build-using-namespace): this file is a program of its own.

struct OptFlags {
  std::string input = "-";
  std::string emit = "ir";
  bool list_passes = false;
  bool list_ops = false;
  bool list_functions = false;
  bool list_switches = false;
  bool memory_plan = false;
  bool verify_roundtrip = false;
  bool run_reproducer = false;
  ir::ParseOptions parse;
};

constexpr auto kExamples = R"(Examples:
  wick-opt model.wick                                          check and print again
  wick-opt model.wick --pass-pipeline=default                  as a program would compile it
  wick-opt model.wick --pass-pipeline=canonicalize,cse --print-ir-after-change=diff
  wick-opt model.wick --pass-pipeline=default --remarks-missed  what did not fuse, and why
  wick-opt model.wick --pass-pipeline=default --emit=kernels    the loops of every fusion
  wick-opt model.wick --emit=html > model.html                 all of it as a page
  wick-opt --run-reproducer /tmp/wick-reproducer-1-0.wick
)";

/// Exactly one line break at the end.
std::string as_lines(std::string text) {
  if (!text.empty() && text.back() != '\n') text.push_back('\n');
  return text;
}

void print_memory_plan(const ir::Graph& graph) {
  if (const auto flaw = passes::verify_memory_plan(graph)) {
    throw std::runtime_error(fmt::format("memory plan of @{}: {}", graph.name(), *flaw));
  }
  const passes::MemoryPlan plan = passes::memory_plan_of(graph);
  fmt::print("// memory: arena {} bytes, peak live {} bytes, intermediates {} bytes\n",
             plan.arena_bytes,
             plan.peak_live_bytes,
             plan.total_intermediate_bytes);
}

void verify_roundtrip(const ir::Graph& graph, const ir::ParseOptions& parse) {
  const std::string text = ir::to_string(graph, {.locations = true});
  const std::string again =
      ir::to_string(*ir::parse_graph(text, "<printed graph>", parse), {.locations = true});
  if (text != again) {
    throw std::runtime_error(
        fmt::format("@{} prints differently after parsing what it printed", graph.name()));
  }
}

/// Takes pipeline and plug-ins from the file.
void prepare_reproducer(const std::string& text, const OptFlags& flags) {
  const auto header = passes::read_reproducer_header(text);
  if (!header) throw std::runtime_error(fmt::format("{} is no reproducer", flags.input));
  for (const std::string& plugin : header->plugins)
    passes::load_plugin(plugin);
  options().pass_pipeline = header->pipeline;
}

int optimize(const OptFlags& flags) {
  const std::string text = tools::read_input(flags.input);
  if (flags.run_reproducer) prepare_reproducer(text, flags);
  passes::PassManager::parse(options().pass_pipeline);  // a mistake shows even where no graph is
  if (flags.emit == "html") {
    auto graphs = ir::parse_graphs(text, flags.input, flags.parse);
    if (graphs.size() != 1) {
      throw std::runtime_error(
          fmt::format("--emit=html takes one graph, {} has {}", flags.input, graphs.size()));
    }
    if (!options().dump_to.empty()) tools::dump(*graphs[0], flags.input);
    fmt::print("{}", tools::report_page(std::move(graphs[0]), flags.input));
    return 0;
  }
  for (const auto& graph : ir::parse_graphs(text, flags.input, flags.parse)) {
    if (!options().dump_to.empty()) tools::dump(*graph, flags.input);
    if (!options().pass_pipeline.empty()) {
      passes::PassContext context = passes::make_pass_context();
      passes::run_pipeline(*graph, context);
    }
    if (flags.verify_roundtrip) verify_roundtrip(*graph, flags.parse);
    fmt::print("{}", as_lines(tools::emit(*graph, flags.emit)));
    if (flags.memory_plan) print_memory_plan(*graph);
  }
  return 0;
}

int run(const OptFlags& flags) {
  if (flags.list_passes) fmt::print("{}", tools::passes_page());
  if (flags.list_ops) fmt::print("{}", tools::ops_page());
  if (flags.list_functions) fmt::print("{}", tools::functions_page());
  if (flags.list_switches) fmt::print("{}", tools::switches_page());
  if (flags.list_passes || flags.list_ops || flags.list_functions || flags.list_switches) return 0;
  return optimize(flags);
}

void declare(CLI::App& app, OptFlags& flags) {
  app.footer(kExamples);
  app.add_option("input", flags.input, "file of graph IR; - is standard input");
  app.add_option(
         "--emit", flags.emit, "what to print: ir, dot, kernels, llvm, asm, cuda, plan or html")
      ->check(CLI::IsMember({"ir", "dot", "kernels", "llvm", "asm", "cuda", "plan", "html"}));
  app.add_flag("--list-passes", flags.list_passes, "print the passes and their options");
  app.add_flag("--list-ops", flags.list_ops, "print the op table");
  app.add_flag("--list-functions", flags.list_functions, "print the functions of the headers");
  app.add_flag("--list-switches", flags.list_switches, "print the switches and their variables");
  app.add_flag("--memory-plan", flags.memory_plan, "check the memory plan and print its sizes");
  app.add_flag("--verify-roundtrip",
               flags.verify_roundtrip,
               "check that what is printed parses and prints the same again");
  app.add_flag("--allow-unregistered-ops",
               flags.parse.allow_unregistered,
               "read ops of plug-ins that are not loaded, with the types that are written");
  app.add_flag("--run-reproducer",
               flags.run_reproducer,
               "run the pipeline that the input, a reproducer, names");
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Runs passes over Wick graph IR.", "wick-opt");
  OptFlags flags;
  declare(app, flags);
  return tools::run_tool(app, argc, argv, [&] { return run(flags); });
}
