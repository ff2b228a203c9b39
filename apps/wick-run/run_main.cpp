#include "run_main.h"

#include <algorithm>
#include <stdexcept>

#include "bench.h"
#include "compare.h"
#include "inputs.h"
#include "program.h"
#include "results.h"
#include "run_flags.h"
#include "support/graph_file.h"
#include "support/tool.h"
#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "wick/codegen/kernel_compiler.h"
#include "wick/passes/options.h"
#include "wick/passes/pipeline_run.h"
#include "wick/runtime/rounding_noise.h"

namespace wick::run {

namespace {

bool asks_for_nothing(const RunFlags& flags) {
  return flags.reference.empty() && !flags.bench && !flags.print_plan && flags.output.empty();
}

bool asks_for_plan_alone(const RunFlags& flags) {
  return flags.reference.empty() && !flags.bench && !flags.print_results && flags.output.empty() &&
         options().profile.empty();
}

/// The reference compiles under switches of its own: those of the command line that change programs
/// are what it is to be compared with.
std::vector<Literal> reference_results(const ir::Graph& graph,
                                       std::span<const Literal> inputs,
                                       const std::string& backend) {
  Options plain = options();
  static_cast<CompileOptions&>(plain) = {};
  plain.backend = backend;
  const ScopedOptions scope(plain);
  return Program(graph, backend).run(inputs);
}

/// The interpreter runs a graph as it is: passes that the command line names run before, so that
/// their mistakes can be told from those of code generation.
Program compile(const ir::Graph& graph) {
  const Options& switches = options();
  if (switches.backend != "interpreter" || switches.pass_pipeline.empty())
    return {graph, switches.backend};
  const std::unique_ptr<ir::Graph> rewritten = graph.clone();
  passes::PassContext context = passes::make_pass_context();
  passes::run_pipeline(*rewritten, context);
  return {*rewritten, switches.backend};
}

int execute(const RunFlags& flags) {
  const std::unique_ptr<ir::Graph> graph = tools::read_graph(flags.file, flags.graph);
  const std::vector<Literal> inputs = make_inputs(*graph, flags.inputs);
  if (flags.no_passes) options().pass_pipeline = "plan-memory";  // which a plan is made from
  Program program = compile(*graph);
  if (flags.print_plan) {
    fmt::print("{}", program.plan_text());
    if (asks_for_plan_alone(flags)) return 0;  // which may be for a device that is not here
  }

  const auto run_reference = [&](std::span<const Literal> values) {
    return reference_results(*graph, values, flags.reference);
  };
  std::vector<Literal> expected;
  if (!flags.reference.empty()) expected = run_reference(inputs);
  runtime::RoundingNoise noise(run_reference, inputs, expected);
  std::vector<Literal> results;
  bool agree = true;
  for (int i = 0; i < std::max(flags.repeat, 1) && agree; ++i) {
    results = program.run(inputs);
    if (!flags.reference.empty())
      agree = compare_results(*graph, expected, results, flags.reference, noise);
    if (flags.bench) break;  // repeats by itself
  }
  if (flags.print_results || asks_for_nothing(flags)) print_results(*graph, results);
  if (!flags.output.empty()) write_results(*graph, results, flags.output);
  if (flags.bench) bench(program, inputs, {.seconds = *flags.bench, .repeat = flags.repeat});
  return agree ? 0 : 1;
}

}  // namespace

int run_main(std::vector<std::string> arguments) {
  CLI::App app("Compiles and runs a program of Wick graph IR.", "wick-run");
  RunFlags flags;
  declare_flags(app, flags);
  std::vector<char*> argv;
  for (std::string& argument : arguments)
    argv.push_back(argument.data());
  return tools::run_tool(
      app, static_cast<int>(argv.size()), argv.data(), [&] { return execute(flags); });
}

void open_compiler() {
  try {
    codegen::llvm_compiler();
  } catch (const std::exception&) {  // whoever compiles says what is missing
  }
}

}  // namespace wick::run
