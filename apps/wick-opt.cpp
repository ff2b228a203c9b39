// wick-opt: reads graph IR, runs passes over it, prints what they made of it.

#include <cstdio>
#include <exception>
#include <fstream>
#include <iostream>
#include <iterator>
#include <stdexcept>
#include <string>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "wick/ir/parser.h"
#include "wick/ir/printer.h"
#include "wick/ir/verifier.h"
#include "wick/passes/pass_manager.h"
#include "wick/passes/pass_registry.h"
#include "wick/passes/plan_memory.h"

namespace {

using namespace wick;  // NOLINT(google-build-using-namespace): this file is a program of its own.

struct OptFlags {
  std::string input = "-";
  std::string pipeline;
  bool list_passes = false;
  bool list_ops = false;
  bool verify_each = true;
  bool print_after_change = false;
  bool remarks = false;
  bool locations = false;
  bool statistics = false;
  bool timing = false;
  bool memory_plan = false;
};

std::string read_input(const std::string& path) {
  if (path == "-") return {std::istreambuf_iterator<char>(std::cin), {}};
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error(fmt::format("cannot open {}", path));
  std::string text(std::istreambuf_iterator<char>(file), {});
  if (file.bad()) throw std::runtime_error(fmt::format("cannot read {}", path));
  return text;
}

void list_passes() {
  for (const passes::PassInfo* info : passes::PassRegistry::instance().all()) {
    fmt::print("{:<16} {}\n", info->name, info->summary);
    for (const auto& [option, fallback] : info->options) {
      fmt::print("  {}={}\n", option, fallback);
    }
  }
}

std::string operand_count(const ir::OpInfo& info) {
  if (info.max_operands < 0) return fmt::format("{} or more", info.min_operands);
  return std::to_string(info.max_operands);
}

std::string_view dtypes_of(const ir::OpInfo& info) {
  const auto has = [&](ir::OpTrait trait) { return (info.traits & trait) != 0; };
  if (has(ir::kFloatOnly)) return "floats";
  if (has(ir::kIntegerOnly)) return "integers";
  if (has(ir::kBoolOnly)) return "bool";
  return has(ir::kNoFloat) ? "integers, bool" : "any";
}

/// docs/ops.md.
void list_ops() {
  fmt::print("# Ops\n\nWritten by `wick-opt --list-ops` from `ir/ops.def`.\n\n");
  fmt::print("| op | operands | dtypes | result |\n|---|---|---|---|\n");
  int primitives = 0;
  for (int i = 0; i < ir::kNumOps; ++i) {
    const ir::OpInfo& info = ir::op_info(static_cast<ir::OpKind>(i));
    if ((info.traits & ir::kStructure) != 0) continue;
    ++primitives;
    fmt::print(
        "| `{}` | {} | {} | {} |\n", info.name, operand_count(info), dtypes_of(info), info.summary);
  }
  fmt::print("\n{} primitives; everything else is composed of them.\n", primitives);
}

/// Exactly one line break at the end.
std::string as_lines(std::string text) {
  if (text.empty() || text.back() != '\n') text.push_back('\n');
  return text;
}

void instrument(passes::PassManager& manager, const OptFlags& flags) {
  manager.set_verify_each(flags.verify_each);
  const ir::PrintOptions print{.locations = flags.locations};
  if (flags.print_after_change) {
    manager.add_instrumentation(
        {.before = {},
         .after = [print](const passes::Pass& pass, const ir::Graph& graph, bool changed, double) {
           if (!changed) return;
           fmt::print(stderr, "// after {}\n{}", pass.name(), as_lines(to_string(graph, print)));
         }});
  }
  if (flags.timing) {
    manager.add_instrumentation(
        {.before = {},
         .after = [](const passes::Pass& pass, const ir::Graph&, bool, double milliseconds) {
           fmt::print(stderr, "{:>10.3f} ms  {}\n", milliseconds, pass.name());
         }});
  }
}

void print_remarks(const passes::PassContext& context) {
  for (const passes::Remark& remark : context.remarks()) {
    fmt::print(stderr,
               "{}: remark: {}: {}{}: {}\n",
               to_string(remark.where),
               remark.pass,
               remark.missed ? "missed: " : "",
               remark.code,
               remark.text);
  }
}

void print_statistics(const passes::PassContext& context) {
  for (const auto& [name, count] : context.statistics()) {
    if (count != 0) fmt::print(stderr, "{:>8}  {}\n", count, name);
  }
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

void optimize(const OptFlags& flags) {
  passes::PassManager manager = passes::PassManager::parse(flags.pipeline);
  instrument(manager, flags);
  for (const auto& graph : ir::parse_graphs(read_input(flags.input), flags.input)) {
    passes::PassContext context(flags.remarks);
    manager.run(*graph, context);
    fmt::print("{}", as_lines(to_string(*graph, {.locations = flags.locations})));
    if (flags.memory_plan) print_memory_plan(*graph);
    print_remarks(context);
    if (flags.statistics) print_statistics(context);
  }
}

void declare(CLI::App& app, OptFlags& flags) {
  app.add_option("input", flags.input, "file of graph IR; - is standard input");
  app.add_option("--pass-pipeline", flags.pipeline, "passes to run, such as canonicalize,cse,dce");
  app.add_flag("--list-passes", flags.list_passes, "print the passes and their options");
  app.add_flag("--list-ops", flags.list_ops, "print the op table in Markdown");
  app.add_flag("--verify-each,!--no-verify-each", flags.verify_each, "verify after each pass");
  app.add_flag("--print-ir-after-change",
               flags.print_after_change,
               "print the graph to standard error after each pass that changed it");
  app.add_flag("--remarks", flags.remarks, "print what passes have to say to standard error");
  app.add_flag("--print-locations", flags.locations, "print loc(...) after each node");
  app.add_flag(
      "--pass-statistics", flags.statistics, "print the passes' counters to standard error");
  app.add_flag("--timing", flags.timing, "print the time of each pass to standard error");
  app.add_flag("--memory-plan", flags.memory_plan, "check the memory plan and print its sizes");
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Runs passes over Wick graph IR.", "wick-opt");
  OptFlags flags;
  declare(app, flags);
  CLI11_PARSE(app, argc, argv);
  try {
    if (flags.list_passes) {
      list_passes();
    } else if (flags.list_ops) {
      list_ops();
    } else {
      optimize(flags);
    }
  } catch (const ir::ParseError& error) {
    fmt::print(stderr, "{}\n", error.what());  // says the place itself
    return 1;
  } catch (const std::exception& error) {
    fmt::print(stderr, "wick-opt: error: {}\n", error.what());
    return 1;
  }
  return 0;
}
