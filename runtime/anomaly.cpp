#include "wick/runtime/anomaly.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "wick/ir/error.h"
#include "wick/ir/format.h"
#include "wick/ir/interpreter.h"
#include "wick/runtime/argument_values.h"

namespace wick::runtime {
namespace {

/// Row-major position of the first NaN.
std::optional<int64_t> first_nan(const Literal& value) {
  if (!is_float(value.type().dtype)) return {};
  for (int64_t i = 0; i < value.numel(); ++i) {
    if (std::isnan(value.as_double(i))) return i;
  }
  return {};
}

std::vector<int64_t> coordinates(int64_t element, const Shape& shape) {
  std::vector<int64_t> result(static_cast<size_t>(shape.ndim()));
  for (int axis = shape.ndim(); axis-- > 0; element /= shape[axis])
    result[static_cast<size_t>(axis)] = element % shape[axis];
  return result;
}

/// Where the nodes of a graph have their first NaN in one evaluation.
class NanSearch {
 public:
  NanSearch(const ir::Graph& graph, std::span<const Literal> parameters)
      : graph_(graph),
        found_(static_cast<size_t>(graph.id_bound())) {
    for (size_t i = 0; i < parameters.size(); ++i)
      found_of(*graph.parameters()[i]) = first_nan(parameters[i]);
    ir::interpret(graph, parameters, [&](const ir::Node& node, std::span<const Literal> results) {
      found_of(node) = first_nan(results[0]);
    });
  }

  /// The first node from which a NaN of a result comes; null when there is none.
  [[nodiscard]] const ir::Node* origin() const {
    std::vector<bool> leads(found_.size());  // a NaN of the node leads to one of a result
    for (const ir::Value& result : graph_.results())
      leads[index(*result.node)] = has_nan(*result.node);
    const ir::Node* origin = nullptr;
    for (const ir::Node* node = graph_.last(); node != nullptr; node = node->previous()) {
      if (!leads[index(*node)]) continue;
      bool comes_from_operand = false;
      for (const ir::Value& operand : node->operands()) {
        if (!has_nan(*operand.node)) continue;
        leads[index(*operand.node)] = true;
        comes_from_operand = true;
      }
      const bool is_given =
          node->op() == ir::OpKind::parameter || node->op() == ir::OpKind::constant;
      if (!comes_from_operand && !is_given) origin = node;
    }
    return origin;
  }

  [[noreturn]] void fail(const ir::Node& node) const {
    constexpr auto kText = "gave NaN at {} of {}, and no operand holds one";
    const int64_t element = *found_[index(node)];
    throw Error(node.location(),
                ir::op_name(node.op(), node.attributes()),
                fmt::format(kText, coordinates(element, node.type().shape), node.type()));
  }

 private:
  static size_t index(const ir::Node& node) { return static_cast<size_t>(node.id()); }

  std::optional<int64_t>& found_of(const ir::Node& node) { return found_[index(node)]; }

  [[nodiscard]] bool has_nan(const ir::Node& node) const { return found_[index(node)].has_value(); }

  const ir::Graph& graph_;
  std::vector<std::optional<int64_t>> found_;  // by node
};

class DetectingExecutable final : public Executable {
 public:
  DetectingExecutable(std::unique_ptr<Executable> executable, std::unique_ptr<ir::Graph> recorded)
      : executable_(std::move(executable)),
        recorded_(std::move(recorded)) {}

  std::vector<Ref<Buffer>> run(std::span<const Argument> arguments) override {
    const NanSearch search(*recorded_, argument_values(*recorded_, arguments));
    if (const ir::Node* const origin = search.origin()) search.fail(*origin);
    return executable_->run(arguments);
  }

  [[nodiscard]] ProgramSummary summary() const override { return executable_->summary(); }

  [[nodiscard]] std::string to_text() const override { return executable_->to_text(); }

 private:
  std::unique_ptr<Executable> executable_;
  std::unique_ptr<ir::Graph> recorded_;
};

}  // namespace

std::unique_ptr<Executable> make_detecting_anomalies(std::unique_ptr<Executable> executable,
                                                     std::unique_ptr<ir::Graph> recorded) {
  return std::make_unique<DetectingExecutable>(std::move(executable), std::move(recorded));
}

}  // namespace wick::runtime
