#pragma once

// Runs graphs through the fuse pass, lowering and the kernel interpreter.

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "wick/codegen/lower.h"
#include "wick/ir/graph.h"

namespace wick::test {

/// Runs a pipeline, with verification after each pass.
void run_pipeline(ir::Graph& graph, const std::string& pipeline);

/// The parsed graph after the fuse pass.
std::unique_ptr<ir::Graph> parse_and_fuse(const std::string& text);

std::vector<const ir::Node*> fusions_of(const ir::Graph& graph);

/// What gives the code of a kernel; by default none, and the kernel interpreter runs it.
using KernelRunner = codegen::KernelFunction (*)(const codegen::Kernel&);
void use_kernel_runner(KernelRunner runner);

/// What runs whole launches; by default none, and kernels run in pieces.
using LaunchRunner =
    std::function<void(const codegen::KernelLaunch& launch, std::span<void* const> buffers)>;
void use_launch_runner(LaunchRunner runner);

/// Runs kernels in pieces, backwards, as a thread pool might.
std::vector<Literal> run_fusion(const ir::Node& fusion, std::span<const Literal* const> operands);

/// All nodes of a fused graph: fusions by their kernels, others by the graph interpreter.
std::vector<Literal> run_lowered(const ir::Graph& graph, std::span<const Literal> parameters);

/// Values for all parameters: small numbers of both signs, drawn from the seed.
std::vector<Literal> random_parameters(const ir::Graph& graph, uint64_t seed);

/// Expects equal values: floats to a relative tolerance, NaN equal to NaN.
void expect_near(const Literal& actual,
                 const Literal& expected,
                 double tolerance,
                 const std::string& what);

/// Fuses a copy of the graph and expects kernels and interpreter to agree on random values.
/// Returns the fused copy.
std::unique_ptr<ir::Graph> expect_kernels_agree(const ir::Graph& graph, uint64_t seed);

/// The same for a random program of rows and columns.
void expect_rows_agree(uint64_t seed);

}  // namespace wick::test
