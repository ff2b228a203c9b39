#include "wick/tensor/import.h"

#include <fmt/format.h>

namespace wick::detail {

std::unique_ptr<ir::Graph> import_graph(const Capture& capture, bool with_donations) {
  auto graph = std::make_unique<ir::Graph>("main");
  std::vector<ir::Value> values;
  values.reserve(capture.entries().size());
  int num_parameters = 0;
  for (const Capture::Entry& entry : capture.entries()) {
    const Node& node = *entry.node;
    if (entry.is_leaf) {
      ir::Attributes attributes;
      if (entry.donated && with_donations) attributes.set("donate", true);
      if (entry.is_scalar) attributes.set("scalar", true);
      const std::string name = fmt::format("p{}", num_parameters++);
      values.push_back(graph->add_parameter(node.type(), name, std::move(attributes))->result());
      continue;
    }
    if (node.op() == ir::OpKind::constant) {
      values.push_back(
          graph->add_constant(node.attributes().literal("value"), node.where())->result());
      continue;
    }
    std::vector<ir::Value> operands;
    for (const uint32_t operand : capture.operands_of(entry))
      operands.push_back(values[operand]);
    values.push_back(
        graph->add(node.op(), std::move(operands), node.attributes(), node.where())->result());
  }
  for (const uint32_t output : capture.outputs())
    graph->add_result(values[output]);
  return graph;
}

}  // namespace wick::detail
