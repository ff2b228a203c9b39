#include "run_lowered.h"

#include <cmath>
#include <map>
#include <random>

#include "support/random_rows.h"
#include <gtest/gtest.h>

#include "wick/ir/interpreter.h"
#include "wick/ir/parser.h"
#include "wick/ir/printer.h"
#include "wick/passes/pass_manager.h"

namespace wick::test {

namespace {

KernelRunner kernel_runner = nullptr;
LaunchRunner launch_runner;

}  // namespace

void use_kernel_runner(KernelRunner runner) {
  kernel_runner = runner;
}

void use_launch_runner(LaunchRunner runner) {
  launch_runner = std::move(runner);
}

void run_pipeline(ir::Graph& graph, const std::string& pipeline) {
  passes::PassManager manager = passes::PassManager::parse(pipeline);
  manager.set_verify_each(true);
  passes::PassContext context;
  manager.run(graph, context);
}

std::unique_ptr<ir::Graph> parse_and_fuse(const std::string& text) {
  auto graph = ir::parse_graph(text);
  run_pipeline(*graph, "fuse");
  return graph;
}

std::vector<const ir::Node*> fusions_of(const ir::Graph& graph) {
  std::vector<const ir::Node*> fusions;
  for (const ir::Node* node = graph.first(); node != nullptr; node = node->next()) {
    if (node->op() == ir::OpKind::fusion) fusions.push_back(node);
  }
  return fusions;
}

std::vector<Literal> run_fusion(const ir::Node& fusion, std::span<const Literal* const> operands) {
  using Kind = codegen::ArgBinding::Kind;
  const codegen::LoweredFusion lowered = codegen::lower(fusion);
  std::vector<Literal> results;
  for (int i = 0; i < fusion.num_results(); ++i)
    results.emplace_back(fusion.type(i));
  std::vector<std::byte> workspace(lowered.workspace_bytes);
  for (const codegen::KernelLaunch& launch : lowered.launches) {
    std::vector<void*> buffers;
    for (const codegen::ArgBinding& arg : launch.args) {
      const auto i = static_cast<size_t>(arg.index);
      if (arg.kind == Kind::operand) {
        buffers.push_back(const_cast<std::byte*>(operands[i]->data()));
      } else if (arg.kind == Kind::result) {
        buffers.push_back(results[i].data());
      } else if (arg.kind == Kind::workspace) {
        buffers.push_back(workspace.data() + arg.offset);
      } else {
        buffers.push_back(nullptr);
      }
    }
    if (launch_runner) {
      launch_runner(launch, buffers);
      continue;
    }
    const int64_t task_cut = launch.task_extent / 2 / launch.tasks_in_order * launch.tasks_in_order;
    const bool is_whole = launch.kernel->short_extent > 0;
    const int64_t whole = launch.kernel->has_flat_columns() ? launch.kernel->row_length : 1;
    const int64_t vector_cut = is_whole ? 0 : launch.vector_extent / 3 / whole * whole;
    const codegen::KernelFunction compiled =
        kernel_runner == nullptr ? nullptr : kernel_runner(*launch.kernel);
    const auto run = [&](int64_t task, int64_t task_end, int64_t vector, int64_t vector_end) {
      if (compiled != nullptr) {
        compiled(buffers.data(), launch.params.data(), task, task_end, vector, vector_end);
        return;
      }
      codegen::interpret(
          *launch.kernel, buffers.data(), launch.params.data(), task, task_end, vector, vector_end);
    };
    run(task_cut, launch.task_extent, 0, launch.vector_extent);
    if (launch.kernel->vector_is_inner()) {
      run(0, task_cut, 0, 1);
    } else {
      run(0, task_cut, vector_cut, launch.vector_extent);
      run(0, task_cut, 0, vector_cut);
    }
  }
  return results;
}

std::vector<Literal> run_lowered(const ir::Graph& graph, std::span<const Literal> parameters) {
  std::map<std::pair<int, int>, Literal> values;
  size_t next_parameter = 0;
  for (const ir::Node* node = graph.first(); node != nullptr; node = node->next()) {
    std::vector<const Literal*> operands;
    for (const ir::Value& operand : node->operands()) {
      operands.push_back(&values.at({operand.node->id(), operand.index}));
    }
    std::vector<Literal> results;
    if (node->op() == ir::OpKind::parameter) {
      results.push_back(parameters[next_parameter++]);
    } else if (node->op() == ir::OpKind::fusion) {
      results = run_fusion(*node, operands);
    } else {
      results.push_back(ir::interpret_op(node->op(), node->attributes(), operands, node->type()));
    }
    for (size_t i = 0; i < results.size(); ++i) {
      values[{node->id(), static_cast<int>(i)}] = std::move(results[i]);
    }
  }
  std::vector<Literal> results;
  for (const ir::Value& result : graph.results()) {
    results.push_back(values.at({result.node->id(), result.index}));
  }
  return results;
}

std::vector<Literal> random_parameters(const ir::Graph& graph, uint64_t seed) {
  std::mt19937_64 generator(seed);
  std::uniform_real_distribution<double> reals(-2.0, 2.0);
  std::uniform_int_distribution<int64_t> integers(-3, 5);
  std::vector<Literal> values;
  for (const ir::Node* parameter : graph.parameters()) {
    const Type& type = parameter->type();
    Literal value(type);
    for (int64_t i = 0; i < type.numel(); ++i) {
      const Literal element =
          is_float(type.dtype)
              ? Literal::scalar(type.dtype, reals(generator))
              : Literal::scalar_integer(
                    type.dtype,
                    type.dtype == DType::bool_ ? integers(generator) & 1 : integers(generator));
      const size_t size = size_of(type.dtype);
      std::memcpy(value.data() + static_cast<size_t>(i) * size, element.data(), size);
    }
    values.push_back(std::move(value));
  }
  return values;
}

void expect_near(const Literal& actual,
                 const Literal& expected,
                 double tolerance,
                 const std::string& what) {
  ASSERT_EQ(actual.type(), expected.type()) << what;
  for (int64_t i = 0; i < expected.numel(); ++i) {
    if (!is_float(expected.type().dtype)) {
      ASSERT_EQ(actual.as_integer(i), expected.as_integer(i)) << what << "\nelement " << i;
      continue;
    }
    const double a = actual.as_double(i);
    const double b = expected.as_double(i);
    if ((std::isnan(a) && std::isnan(b)) || a == b) continue;
    ASSERT_NEAR(a, b, tolerance * std::max(1.0, std::abs(b))) << what << "\nelement " << i;
  }
}

std::unique_ptr<ir::Graph> expect_kernels_agree(const ir::Graph& graph, uint64_t seed) {
  auto fused = graph.clone();
  run_pipeline(*fused, "fuse");
  const std::vector<Literal> parameters = random_parameters(graph, seed);
  const std::vector<Literal> expected = ir::interpret(graph, parameters);
  const std::vector<Literal> actual = run_lowered(*fused, parameters);
  EXPECT_EQ(actual.size(), expected.size());
  for (size_t i = 0; i < expected.size() && i < actual.size(); ++i) {
    // f32 values are rounded once an op in both; sums differ in order. f16 keeps 11 bits.
    const DType dtype = expected[i].type().dtype;
    const double tolerance = dtype == DType::f16 ? 2e-2 : dtype == DType::bf16 ? 1e-1 : 1e-4;
    expect_near(actual[i], expected[i], tolerance, ir::to_string(*fused));
  }
  return fused;
}

void expect_rows_agree(uint64_t seed) {
  const auto graph = testing_support::random_rows(seed);
  try {
    expect_kernels_agree(*graph, seed);
  } catch (const std::exception& error) {
    ADD_FAILURE() << "seed " << seed << ": " << error.what() << "\n" << ir::to_string(*graph);
  }
}

}  // namespace wick::test
