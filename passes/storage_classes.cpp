#include "wick/passes/storage_classes.h"

#include <algorithm>

#include "wick/passes/buffer_place.h"

namespace wick::passes {

StorageClasses::StorageClasses(const ir::Graph& graph)
    : first_storage_(static_cast<size_t>(graph.id_bound())),
      positions_(static_cast<size_t>(graph.id_bound())) {
  for (const ir::Node* node = graph.first(); node != nullptr; node = node->next()) {
    const auto id = static_cast<size_t>(node->id());
    positions_[id] = num_positions_++;
    first_storage_[id] = is_alias(*node) ? of(node->operand(0)) : add_storages(*node);
    for (const ir::Value& operand : node->operands()) {
      Storage& read = storages_[static_cast<size_t>(of(operand))];
      read.end = std::max(read.end, positions_[id]);
    }
  }
  for (size_t i = 0; i < graph.parameters().size(); ++i) {
    storages_[static_cast<size_t>(of(graph.parameters()[i]->result()))].parameter =
        static_cast<int>(i);
  }
  for (size_t i = graph.results().size(); i-- > 0;) {
    Storage& result = storages_[static_cast<size_t>(of(graph.results()[i]))];
    result.result = static_cast<int>(i);
    result.end = num_positions_;
  }
}

int StorageClasses::add_storages(const ir::Node& node) {
  const auto first = static_cast<int>(storages_.size());
  const int position = positions_[static_cast<size_t>(node.id())];
  for (int i = 0; i < node.num_results(); ++i) {
    Storage storage{.begin = position, .end = position, .bytes = node.type(i).num_bytes()};
    if (node.op() == ir::OpKind::parameter) {
      storage.root = Storage::Root::parameter;
    } else if (node.op() == ir::OpKind::constant) {
      storage.root = Storage::Root::constant;
    }
    storages_.push_back(storage);
  }
  return first;
}

int operand_to_overwrite(const ir::Node& node, int i) {
  if (node.op() == ir::OpKind::scatter) return 0;
  const std::vector<int64_t>& in_place = node.attributes().integers("in_place");
  const auto number = static_cast<size_t>(i);
  if (number >= in_place.size() || in_place[number] >= node.num_operands()) return -1;
  return static_cast<int>(in_place[number]);
}

}  // namespace wick::passes
