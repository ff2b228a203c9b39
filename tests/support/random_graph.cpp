#include "random_graph.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "random_graph_generator.h"

#include "wick/ir/check.h"
#include "wick/passes/dce.h"

namespace wick::testing_support {

using ir::Node;
using ir::OpKind;

namespace {

/// Erases what leads to no result, and gives every node that is left a purpose.
void choose_results(ir::Graph& graph, Random& random, int max_results) {
  std::vector<ir::Value> ends;
  for (Node* node : graph.nodes()) {
    if (node->op() != OpKind::parameter && !node->has_uses()) ends.push_back(node->result());
  }
  if (ends.empty()) ends.push_back(graph.last()->result());
  while (static_cast<int>(ends.size()) > max_results) {
    ends.erase(ends.begin() + static_cast<ptrdiff_t>(random.below(ends.size())));
  }
  // Rarely a value in the middle, a parameter, or a value returned twice.
  if (random.chance(0.2)) {
    const std::vector<Node*> nodes = graph.nodes();
    ends.push_back(nodes[random.below(nodes.size())]->result());
  }
  graph.set_results(std::move(ends));
  passes::erase_dead_nodes(graph);
  for (int i = static_cast<int>(graph.parameters().size()) - 1; i >= 0; --i) {
    const bool unread = !graph.parameters()[static_cast<size_t>(i)]->has_uses();
    if (unread && !random.chance(0.1)) graph.erase_parameter(i);
  }
}

template <typename T>
T random_element(Random& random, bool special_values) {
  if constexpr (std::is_same_v<T, bool>) {
    return random.chance(0.5);
  } else if constexpr (std::is_integral_v<T>) {
    const auto value = static_cast<int>(random.below(41)) - 20;
    return static_cast<T>(std::is_signed_v<T> ? value : std::abs(value));
  } else {
    if (special_values && random.chance(0.05)) {
      constexpr double kSpecial[] = {std::numeric_limits<double>::quiet_NaN(),
                                     std::numeric_limits<double>::infinity(),
                                     -std::numeric_limits<double>::infinity()};
      return static_cast<T>(static_cast<float>(kSpecial[random.below(3)]));
    }
    if (random.chance(0.3)) {  // ties and zeros
      const double value = static_cast<double>(random.below(9)) / 4 - 1;
      return static_cast<T>(static_cast<float>(value == 0 && random.chance(0.5) ? -0.0 : value));
    }
    return static_cast<T>(static_cast<float>(random.uniform(-kInputBound, kInputBound)));
  }
}

bool agree(double expected, double actual, double tolerance) {
  if (std::isnan(expected) || std::isnan(actual)) return std::isnan(expected) && std::isnan(actual);
  if (std::isinf(expected) || std::isinf(actual)) return expected == actual;
  return std::abs(expected - actual) <= tolerance * (1 + std::abs(expected));
}

}  // namespace

std::unique_ptr<ir::Graph> random_graph(uint64_t seed, const RandomGraphOptions& options) {
  Random random(seed);
  auto graph = std::make_unique<ir::Graph>("random" + std::to_string(seed));
  Generator generator(*graph, random, options);
  for (int i = 0; i < options.num_parameters; ++i) {
    generator.add_parameter();
  }
  int added = 0;
  for (int attempt = 0; added < options.num_ops && attempt < 20 * options.num_ops; ++attempt) {
    if (generator.add_op()) ++added;
  }
  choose_results(*graph, random, options.max_results);
  return graph;
}

std::vector<Literal> random_inputs(const ir::Graph& graph, uint64_t seed, bool special_values) {
  Random random(seed * 2 + 1);
  std::vector<Literal> inputs;
  for (const Node* parameter : graph.parameters()) {
    Literal literal(parameter->type());
    visit_dtype(literal.type().dtype, [&]<typename T>() {
      for (T& element : literal.mutable_values<T>()) {
        element = random_element<T>(random, special_values);
      }
    });
    inputs.push_back(std::move(literal));
  }
  return inputs;
}

double result_tolerance(DType dtype) {
  switch (dtype) {
    case DType::f64:
      return 1e-9;
    case DType::f32:
      return 2e-3;
    case DType::f16:
      return 4e-2;
    case DType::bf16:
      return 0.3;
    case DType::i8:
    case DType::i16:
    case DType::i32:
    case DType::i64:
    case DType::u8:
    case DType::bool_:
      return 0;
  }
  __builtin_unreachable();
}

std::optional<std::string> first_difference(const Literal& expected, const Literal& actual) {
  if (expected.type() != actual.type()) {
    return "type " + to_string(actual.type()) + ", expected " + to_string(expected.type());
  }
  const DType dtype = expected.type().dtype;
  const double tolerance = result_tolerance(dtype);
  for (int64_t i = 0; i < expected.numel(); ++i) {
    const bool equal = is_float(dtype)
                           ? agree(expected.as_double(i), actual.as_double(i), tolerance)
                           : expected.as_integer(i) == actual.as_integer(i);
    if (!equal) {
      return "element " + std::to_string(i) + " of " + to_string(expected.type()) + " is " +
             std::to_string(actual.as_double(i)) + ", expected " +
             std::to_string(expected.as_double(i));
    }
  }
  return std::nullopt;
}

}  // namespace wick::testing_support
