#include "differential.h"

#include <exception>
#include <filesystem>
#include <fstream>

#include "run_graph.h"
#include "support/random_graph.h"
#include "support/random_images.h"
#include "support/random_pipeline.h"
#include "support/random_rows.h"
#include <fmt/format.h>

#include "wick/ir/interpreter.h"
#include "wick/ir/printer.h"
#include "wick/passes/options.h"
#include "wick/passes/pass_manager.h"
#include "wick/passes/plan_memory.h"
#include "wick/runtime/backend.h"
#include "wick/runtime/executor.h"

namespace wick::runtime {
namespace {

/// A convolution may multiply its padding, which gives NaN where a weight is not finite, or leave
/// it out: implementations differ.
bool has_convolution(const ir::Graph& graph) {
  for (const ir::Node* node = graph.first(); node != nullptr; node = node->next()) {
    const bool is_matmul = node->op() == ir::OpKind::matmul;
    if (ir::has(node->op(), ir::kContraction) && !is_matmul) return true;
  }
  return false;
}

std::unique_ptr<ir::Graph> graph_of(const DifferentialCase& what) {
  constexpr int64_t kMost = 200000;
  switch (what.seed % 10) {
    case 0:
    case 5:
      return testing_support::random_rows(what.seed);
    case 1:
      return testing_support::random_images(what.seed);
    case 2:
      return testing_support::random_graph(
          what.seed, {.num_ops = 12, .max_elements = kMost, .long_axes = true});
    default:
      return testing_support::random_graph(what.seed);
  }
}

/// Where results differ from what is expected, in words.
std::optional<std::string> first_wrong_result(std::span<const Ref<Buffer>> results,
                                              std::span<const Literal> expected) {
  for (size_t k = 0; k < results.size(); ++k) {
    const Literal got = literal_of(expected[k].type(), *results[k]);
    const auto different = testing_support::first_difference(expected[k], got);
    if (different) return fmt::format("result {}: {}", k, *different);
  }
  return std::nullopt;
}

std::optional<std::string> problem_on_host(const DifferentialCase& what,
                                           const ir::Graph& graph,
                                           std::span<const Argument> arguments,
                                           std::span<const Literal> expected,
                                           std::string& context) {
  const auto optimized = graph.clone();
  passes::PassContext pass_context;
  auto pipeline = passes::PassManager::parse(what.pipeline);
  pipeline.set_verify_each(true);
  pipeline.run(*optimized, pass_context);
  context += fmt::format("\noptimized: {}", ir::to_string(*optimized));
  if (pipeline.text().find("plan-memory") != std::string::npos) {
    if (const auto flaw = passes::verify_memory_plan(*optimized)) return flaw;
  }
  auto plan = build_plan(*optimized, {.fusions = what.fusions});
  context += fmt::format("\n{}", to_string(*plan));
  if (const auto flaw = verify(*plan)) return flaw;
  return first_wrong_result(make_executable(std::move(plan))->run(arguments), expected);
}

/// Pipelines may ask for kernels that only a host runs.
bool is_refusal(const Error& error) {
  return std::string_view(error.what()).find("columns-with-rows=false") != std::string_view::npos;
}

std::unique_ptr<Executable> compile_on_device(const DifferentialCase& what,
                                              const ir::Graph& graph) {
  Options own = options();
  if (what.pipeline != "default") own.pass_pipeline = what.pipeline;
  own.verify_each = true;
  const ScopedOptions scope(std::move(own));
  try {
    return find_backend(what.device).compile(graph.clone());
  } catch (const Error& error) {
    if (!is_refusal(error)) throw;
    return nullptr;
  }
}

std::optional<std::string> problem_on_device(const DifferentialCase& what,
                                             const ir::Graph& graph,
                                             std::span<const Argument> arguments,
                                             std::span<const Literal> expected,
                                             std::string& context) {
  const auto executable = compile_on_device(what, graph);
  if (executable == nullptr) return std::nullopt;
  context += fmt::format("\n{}", executable->to_text());
  constexpr int kRuns = 4;  // the third over the same memory is recorded, the next replayed
  for (int run = 1; run <= kRuns; ++run) {
    const auto problem = first_wrong_result(executable->run(arguments), expected);
    if (problem) return fmt::format("run {}, {}", run, *problem);
  }
  return std::nullopt;
}

std::optional<std::string> first_problem(const DifferentialCase& what,
                                         const ir::Graph& graph,
                                         std::string& context) {
  const auto inputs = testing_support::random_inputs(
      graph, what.seed, what.special_values && !has_convolution(graph));
  const std::vector<Literal> expected = ir::interpret(graph, inputs);
  const std::vector<Argument> arguments = arguments_of(inputs);
  const auto problem = what.device.empty() ? problem_on_host : problem_on_device;
  return problem(what, graph, arguments, expected, context);
}

/// The default pipeline of machines with vectors of so many lanes.
std::string default_pipeline_with(int lanes) {
  std::string text(passes::default_pipeline());
  constexpr std::string_view kLayout = "layout,";
  const size_t at = text.find(kLayout);
  if (at == std::string::npos) return text;
  return text.replace(at, kLayout.size(), fmt::format("layout{{block={}}},", lanes));
}

/// Graphs of every kind, which the last digit of the seed tells apart, meet each of these.
std::string pipeline_of(uint64_t seed) {
  const uint64_t draw = seed / 10;
  switch (draw % 4) {
    case 0:
      return "default";
    case 1:
      return default_pipeline_with(draw % 8 == 1 ? 8 : 16);
    default:
      return testing_support::random_pipeline(seed);
  }
}

}  // namespace

DifferentialCase random_case(uint64_t seed) {
  return {.seed = seed,
          .pipeline = pipeline_of(seed),
          .fusions = PlanOptions::Fusions::compile,
          .special_values = seed % 4 == 0,
          .device = targets_gpu() ? options().backend : ""};
}

std::optional<DifferentialFailure> run_and_compare(const DifferentialCase& what) {
  const auto graph = graph_of(what);
  std::string context =
      fmt::format("pipeline: {}\nrecorded: {}", what.pipeline, ir::to_string(*graph));
  try {
    const auto problem = first_problem(what, *graph, context);
    if (!problem) return std::nullopt;
    return DifferentialFailure{*problem, context};
  } catch (const std::exception& failure) {
    return DifferentialFailure{failure.what(), context};
  }
}

std::string write_reproducer(const DifferentialCase& what, const std::string& folder) {
  std::filesystem::create_directories(folder);
  const auto graph = graph_of(what);
  const std::string path = fmt::format("{}/{}.wick", folder, graph->name());
  std::ofstream(path) << ir::to_string(*graph);
  constexpr auto kText =
      "  wick-run {0} '--pass-pipeline={1}' --reference=interpreter\n"
      "  wick-reduce {0} --expect-error='mismatch|error' -- "
      "wick-run {{}} '--pass-pipeline={1}' --reference=interpreter\n"
      "  (inputs of wick-run's own; with those of the test: WICK_DIFF_SEED={2} "
      "WICK_DIFF_GRAPHS=1)\n";
  return fmt::format(kText, path, what.pipeline, what.seed);
}

}  // namespace wick::runtime
