#include "extract.h"

#include <string>
#include <unordered_map>

#include "edit_copy.h"

namespace wick::reduce {

namespace {

bool is_op(const ir::Node& node) {
  return node.op() != ir::OpKind::parameter && node.op() != ir::OpKind::constant;
}

}  // namespace

std::vector<ir::Node*> ops_of(const ir::Graph& graph) {
  std::vector<ir::Node*> ops;
  for (ir::Node* node = graph.first(); node != nullptr; node = node->next()) {
    if (is_op(*node)) ops.push_back(node);
  }
  return ops;
}

void erase_unused(ir::Graph& graph) {
  for (ir::Node* node = graph.last(); node != nullptr;) {
    ir::Node* previous = node->previous();
    if (node->op() != ir::OpKind::parameter && !node->has_uses()) graph.erase(node);
    node = previous;
  }
  for (int i = static_cast<int>(graph.parameters().size()) - 1; i >= 0; --i) {
    if (!graph.parameters()[static_cast<size_t>(i)]->has_uses()) graph.erase_parameter(i);
  }
}

Part extract(const ir::Graph& graph, const std::vector<ir::Node*>& kept) {
  std::vector<bool> is_kept(static_cast<size_t>(graph.id_bound()));
  for (const ir::Node* node : kept)
    is_kept[static_cast<size_t>(node->id())] = true;
  const auto keeps = [&](const ir::Node& node) { return is_kept[static_cast<size_t>(node.id())]; };

  EditCopy copy(graph);
  Part part;
  std::unordered_map<const ir::Node*, ir::Value> stands_for;
  for (ir::Node* parameter : graph.parameters())
    stands_for[copy(parameter)] = parameter->result();

  for (ir::Node* node = graph.first(); node != nullptr; node = node->next()) {
    if (!is_op(*node)) continue;
    for (int i = 0; i < node->num_results(); ++i) {
      const ir::Value value = node->result(i);
      bool read_inside = false;
      bool read_outside = false;
      for (const ir::Use& use : node->uses_of(i)) {
        const bool inside = use.user != nullptr && keeps(*use.user);
        (inside ? read_inside : read_outside) = true;
      }
      if (keeps(*node) && read_outside) part.outputs.push_back(value);
      if (keeps(*node) || !read_inside) continue;
      // A name keeps wick-run's random values for it the same in all candidates.
      const std::string& name = node->name(i);
      ir::Node* stand_in = copy.graph().add_parameter(
          value.type(), name.empty() ? "v" + std::to_string(node->id()) : name);
      stand_in->set_location(node->location());
      copy.graph().replace_all_uses(copy(value), stand_in->result());
      stands_for[stand_in] = value;
    }
  }
  std::vector<ir::Value> results;
  for (const ir::Value& output : part.outputs)
    results.push_back(copy(output));
  copy.graph().set_results(std::move(results));
  erase_unused(copy.graph());
  part.graph = copy.take();
  for (const ir::Node* parameter : part.graph->parameters())
    part.inputs.push_back(stands_for.at(parameter));
  return part;
}

}  // namespace wick::reduce
