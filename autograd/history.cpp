#include "wick/autograd/history.h"

#include <mutex>
#include <utility>

#include "wick/autograd/meta.h"
#include "wick/ir/error.h"
#include "wick/tensor/materialize.h"

namespace wick::autograd {

using detail::Node;

bool takes_gradient(const Node& node) {
  return node.requires_grad() && is_float(node.type().dtype);
}

History::History(const Request& request) {
  for (const Tensor& stop : request.stops)
    stops_.insert(stop.node().get());
  const std::lock_guard lock(detail::materialization_lock());
  for (const Tensor& output : request.outputs)
    walk(output.node(), request);
}

void History::walk(const Ref<Node>& root, const Request& request) {
  if (!open(root, request)) return;
  while (!stack_.empty()) {
    Frame& top = stack_.back();
    if (top.next == top.entry.num_edges) {
      close();
      continue;
    }
    const Ref<Node> operand = edges_[top.entry.first_edge + top.next++].operand.node();
    open(operand, request);  // may move the frames and the edges
  }
}

bool History::open(const Ref<Node>& node, const Request& request) {
  if (!takes_gradient(*node) || visit_of(*node) != nullptr) return false;
  const auto visit = static_cast<uint32_t>(visits_.size());
  node->set_capture_index(visit);
  node->set_differentiated();
  visits_.push_back({node.get(), kNone});
  const size_t first = edges_.size();
  note_operands(*node, request);
  stack_.push_back({{node, first, edges_.size() - first}, visit});
  return true;
}

void History::note_operands(const Node& node, const Request& request) {
  if (leaf_meta(node) != nullptr || stops_.contains(&node)) return;
  if (!node.keeps_history()) {
    throw Error(request.where,
                request.op,
                "the history was freed by an earlier backward; pass retain_graph = true");
  }
  if (const CustomMeta* custom = custom_meta(node)) {
    for (const Tensor& input : custom->inputs())
      edges_.push_back({input});
    return;
  }
  for (const Ref<Node>& operand : node.operands())
    edges_.push_back({Tensor(operand)});
}

/// Every operand has its entry by now.
void History::close() {
  Frame& top = stack_.back();
  for (size_t i = 0; i < top.entry.num_edges; ++i) {
    Edge& edge = edges_[top.entry.first_edge + i];
    const Visit* const visit = visit_of(*edge.operand.node());
    edge.entry = visit == nullptr ? kNone : visit->entry;
  }
  visits_[top.visit].entry = static_cast<int>(entries_.size());
  entries_.push_back(std::move(top.entry));
  stack_.pop_back();
}

const History::Visit* History::visit_of(const Node& node) const {
  const uint32_t index = node.capture_index();
  return index < visits_.size() && visits_[index].node == &node ? &visits_[index] : nullptr;
}

int History::find(const Tensor& tensor) const {
  const Node* const node = tensor.node().get();
  if (!entries_.empty() && entries_.back().node.get() == node)  // the one output of most
    return static_cast<int>(entries_.size()) - 1;
  if (index_.empty()) {
    for (size_t i = 0; i < entries_.size(); ++i)
      index_.emplace(entries_[i].node.get(), static_cast<int>(i));
  }
  const auto found = index_.find(node);
  return found == index_.end() ? kNone : found->second;
}

void History::free() {
  free(std::vector<bool>(entries_.size(), true));
}

void History::free(const std::vector<bool>& which) {
  std::vector<Ref<Node>> operands;  // these end after the lock: a deleter may want it
  std::vector<std::vector<Tensor>> inputs;
  const std::lock_guard lock(detail::materialization_lock());
  for (size_t i = 0; i < entries_.size(); ++i) {
    const Entry& entry = entries_[i];
    if (!which[i] || entry.num_edges == 0) continue;  // a leaf or a stop has no edges
    entry.node->set_keeps_history(false);
    if (CustomMeta* custom = custom_meta(*entry.node)) inputs.push_back(custom->take_inputs());
    if (entry.node->is_materialized()) entry.node->move_operands_to(operands);
  }
}

}  // namespace wick::autograd
