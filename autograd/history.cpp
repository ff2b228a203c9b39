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
  std::vector<Frame> stack;
  const auto open = [&](const Ref<Node>& node) {
    if (!takes_gradient(*node) || !index_.try_emplace(node.get(), kNone).second) return;
    stack.push_back({node, operands_of(*node, request)});
  };
  open(root);
  while (!stack.empty()) {
    Frame& top = stack.back();
    if (top.next < top.operands.size()) {
      const Ref<Node> operand = top.operands[top.next++].node();
      open(operand);  // may move the frames
      continue;
    }
    close(top);
    stack.pop_back();
  }
}

std::vector<Tensor> History::operands_of(const Node& node, const Request& request) const {
  if (leaf_meta(node) != nullptr || stops_.contains(&node)) return {};
  if (!node.keeps_history()) {
    throw Error(request.where,
                request.op,
                "the history was freed by an earlier backward; pass retain_graph = true");
  }
  if (const CustomMeta* custom = custom_meta(node)) {
    return {custom->inputs().begin(), custom->inputs().end()};
  }
  std::vector<Tensor> operands;
  operands.reserve(node.operands().size());
  for (const Ref<Node>& operand : node.operands())
    operands.emplace_back(operand);
  return operands;
}

void History::close(const Frame& frame) {
  index_[frame.node.get()] = static_cast<int>(entries_.size());
  entries_.push_back({frame.node, edges_.size(), frame.operands.size()});
  for (const Tensor& operand : frame.operands)
    edges_.push_back({operand, find(operand)});
}

int History::find(const Tensor& tensor) const {
  const auto found = index_.find(tensor.node().get());
  return found == index_.end() ? kNone : found->second;
}

void History::free() {
  std::vector<Ref<Node>> operands;  // these end after the lock: a deleter may want it
  std::vector<std::vector<Tensor>> inputs;
  const std::lock_guard lock(detail::materialization_lock());
  for (const Entry& entry : entries_) {
    if (entry.num_edges == 0) continue;  // a leaf or a stop
    entry.node->set_keeps_history(false);
    if (CustomMeta* custom = custom_meta(*entry.node)) inputs.push_back(custom->take_inputs());
    if (entry.node->is_materialized()) entry.node->move_operands_to(operands);
  }
}

}  // namespace wick::autograd
