// Runs programs on the backend in force (WICK_BACKEND) and on the reference interpreter, and tells
// where they differ.
//
// usage: compare-backends [FILE.wick...]

#include <cmath>
#include <cstring>
#include <exception>
#include <fstream>
#include <iostream>
#include <optional>
#include <set>
#include <sstream>
#include <string>

#include "programs_by_op.h"
#include <fmt/format.h>

#include "wick/ir/format.h"
#include "wick/ir/interpreter.h"
#include "wick/ir/parser.h"
#include "wick/passes/options.h"
#include "wick/runtime/backend.h"

namespace {

using wick::DType;
using wick::Literal;
using wick::ir::Graph;
using wick::ir::Node;
using wick::ir::OpKind;

/// What rounding explains. Library calls add up in f32.
double tolerance(DType dtype) {
  switch (dtype) {
    case DType::f32:
      return 1e-4;
    case DType::f64:
      return 1e-10;
    case DType::f16:
      return 4e-3;
    case DType::bf16:
      return 4e-2;
    default:
      return 0;
  }
}

bool agree(const Literal& expected, const Literal& got, int64_t i, double relative) {
  if (!is_float(expected.type().dtype)) return expected.as_integer(i) == got.as_integer(i);
  const double a = expected.as_double(i);
  const double b = got.as_double(i);
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  if (a == b) return true;
  return std::abs(a - b) <= relative * std::max(std::abs(a), 1e-3);
}

/// Of the results of an op; what a cast gives is exact.
std::optional<std::string> first_difference(OpKind op,
                                            const Literal& expected,
                                            const Literal& got) {
  const double relative = op == OpKind::cast ? 0 : tolerance(expected.type().dtype);
  for (int64_t i = 0; i < expected.numel(); ++i) {
    if (agree(expected, got, i, relative)) continue;
    return fmt::format("element {} of {} is {}, the interpreter gives {}",
                       i,
                       expected.type(),
                       got.as_double(i),
                       expected.as_double(i));
  }
  return std::nullopt;
}

std::vector<Literal> run(wick::runtime::Executable& executable,
                         const Graph& graph,
                         const std::vector<Literal>& inputs) {
  std::vector<wick::runtime::Argument> arguments;
  for (const Literal& input : inputs) {
    const size_t bytes = input.bytes().size();
    auto buffer = wick::runtime::Buffer::allocate(bytes, {.purpose = "input", .where = {}});
    if (bytes > 0) std::memcpy(buffer->data(), input.data(), bytes);
    arguments.push_back({.data = buffer->data(), .buffer = buffer});
  }
  const auto buffers = executable.run(arguments);
  std::vector<Literal> results;
  for (size_t k = 0; k < buffers.size(); ++k) {
    const wick::Type& type = graph.results()[k].type();
    const auto* data = static_cast<const std::byte*>(buffers[k]->data());
    results.emplace_back(type, std::span(data, type.num_bytes()));
  }
  return results;
}

/// The ops that become kernels and have been in a program so far.
class Coverage {
 public:
  void add(const Graph& graph) {
    for (const Node* node = graph.first(); node != nullptr; node = node->next())
      seen_.insert(node->op());
  }

  [[nodiscard]] std::string missing() const {
    std::string names;
    for (int i = 0; i < wick::ir::kNumOps; ++i) {
      const auto op = static_cast<OpKind>(i);
      const bool in_kernels = has(op, wick::ir::kElementwise) || has(op, wick::ir::kReduction) ||
                              has(op, wick::ir::kMovement) || op == OpKind::iota ||
                              op == OpKind::random_bits;
      if (in_kernels && !seen_.contains(op)) names += fmt::format(" {}", to_string(op));
    }
    return names;
  }

 private:
  std::set<OpKind> seen_;
};

/// False when a result differs.
bool compare(const Graph& graph, wick::runtime::Backend& backend) {
  std::vector<Literal> inputs;
  for (const Node* parameter : graph.parameters())
    inputs.push_back(awkward_values(parameter->type()));
  const std::vector<Literal> expected = wick::ir::interpret(graph, inputs);
  const auto executable = backend.compile(graph.clone());
  const std::vector<Literal> got = run(*executable, graph, inputs);
  bool is_same = true;
  for (size_t k = 0; k < got.size(); ++k) {
    const OpKind op = graph.results()[k].node->op();
    const auto difference = first_difference(op, expected[k], got[k]);
    if (!difference) continue;
    is_same = false;
    std::cout << fmt::format(
        "@{}: result {}, {}: {}\n", graph.name(), k, to_string(op), *difference);
  }
  const wick::runtime::ProgramSummary summary = executable->summary();
  std::cout << fmt::format("@{}: {} results, {} kernels, {} library calls{}\n",
                           graph.name(),
                           got.size(),
                           summary.num_kernels,
                           summary.num_library_calls,
                           is_same ? "" : ": WRONG");
  return is_same;
}

std::vector<std::unique_ptr<Graph>> programs_of(const char* path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error(fmt::format("cannot open {}", path));
  std::stringstream text;
  text << file.rdbuf();
  return wick::ir::parse_graphs(text.str(), path);
}

/// How many programs differ.
int compare_all(const std::vector<const char*>& paths) {
  const std::string name = wick::options().backend;
  wick::runtime::Backend& backend = wick::runtime::find_backend(name);
  std::vector<std::unique_ptr<Graph>> programs = programs_by_op();
  for (const char* path : paths) {
    for (auto& program : programs_of(path))
      programs.push_back(std::move(program));
  }
  Coverage coverage;
  int wrong = 0;
  for (const auto& program : programs) {
    coverage.add(*program);
    wrong += compare(*program, backend) ? 0 : 1;
  }
  const std::string missing = coverage.missing();
  if (!missing.empty()) std::cout << "no program has:" << missing << "\n";
  std::cout << fmt::format("{}: {} programs, {} wrong\n", name, programs.size(), wrong);
  return wrong + (missing.empty() ? 0 : 1);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return compare_all({argv + 1, argv + argc}) == 0 ? 0 : 1;
  } catch (const std::exception& error) {
    std::cerr << "compare-backends: error: " << error.what() << "\n";
    return 1;
  }
}
