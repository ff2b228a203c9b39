#include <algorithm>
#include <utility>

#include "edit_copy.h"
#include "edits.h"
#include "extract.h"

namespace wick::reduce {

namespace {

/// `fusion` of `copy` replaced by one whose body is `part` of its body. What the part lost becomes
/// a parameter of the graph, what it newly gives a result.
void replace_body(ir::Graph& graph, ir::Node* fusion, Part part) {
  std::vector<ir::Value> operands;
  for (const ir::Value& input : part.inputs) {
    const auto parameters = fusion->body()->parameters();
    const auto at = std::ranges::find(parameters, input.node);
    if (at != parameters.end()) {
      operands.push_back(fusion->operand(static_cast<int>(at - parameters.begin())));
    } else {
      operands.push_back(
          graph.add_parameter(input.type(), input.node->name(input.index))->result());
    }
  }
  ir::Attributes attributes = fusion->attributes();
  attributes.erase("in_place");  // by number of operand and result
  attributes.erase("buffers");
  ir::Node* smaller = graph.add_fusion(std::move(operands),
                                       std::move(part.graph),
                                       std::move(attributes),
                                       fusion->location(),
                                       fusion);
  const auto old_results = fusion->body()->results();
  for (int i = 0; i < fusion->num_results(); ++i) {
    const ir::Value value = old_results[static_cast<size_t>(i)];
    const auto at = std::ranges::find(part.outputs, value);
    const bool stays = at != part.outputs.end();
    const ir::Value now = stays ? smaller->result(static_cast<int>(at - part.outputs.begin()))
                                : graph.add_parameter(fusion->type(i), fusion->name(i))->result();
    if (stays) smaller->set_name(fusion->name(i), now.index);
    graph.replace_all_uses(fusion->result(i), now);
  }
  for (int i = 0; i < smaller->num_results(); ++i) {
    if (smaller->uses_of(i).empty()) graph.add_result(smaller->result(i));
  }
  graph.erase(fusion);
}

}  // namespace

std::vector<Edit> shrink_fusions(const ir::Graph& graph) {
  std::vector<Edit> edits;
  for (const ir::Node* fusion : ops_of(graph)) {
    if (fusion->op() != ir::OpKind::fusion) continue;
    const std::vector<ir::Node*> ops = ops_of(*fusion->body());
    for (size_t out = 0; ops.size() > 1 && out < ops.size(); ++out) {
      edits.emplace_back([&graph, fusion, out] {
        EditCopy copy(graph);
        ir::Node* twin = copy(fusion);
        std::vector<ir::Node*> kept = ops_of(*twin->body());
        kept.erase(kept.begin() + static_cast<std::ptrdiff_t>(out));
        replace_body(copy.graph(), twin, extract(*twin->body(), kept));
        erase_unused(copy.graph());
        return copy.take();
      });
    }
  }
  return edits;
}

}  // namespace wick::reduce
