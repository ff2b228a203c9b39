#include "wick/tensor/capture.h"

#include "wick/ir/check.h"
#include "wick/ir/custom_op.h"

namespace wick::detail {

namespace {

bool is_recorded_op(const Capture::Entry& entry) {
  return !entry.is_leaf && entry.node->op() != ir::OpKind::constant;
}

/// Recomputing these costs less than reading them back.
bool is_trivial(const Node& node) {
  if (node.op() == ir::OpKind::iota) return true;
  return node.op() == ir::OpKind::broadcast && node.operands()[0]->type().shape.ndim() == 0;
}

/// Backward reads the values of these, and they cost too much to compute again.
bool is_expensive(const Node& node) {
  const ir::OpKind op = node.op();
  if (op == ir::OpKind::custom) {
    const ir::CustomOp* custom = ir::find_custom_op(ir::op_name(op, node.attributes()));
    return custom == nullptr || !custom->expand;  // an expansion fuses with what reads it
  }
  return ir::has(op, ir::kContraction) || ir::has(op, ir::kPooling) || ir::has(op, ir::kReduction);
}

}  // namespace

void Capture::walk(std::span<const Ref<Node>> roots, bool with_escaping) {
  entries_.clear();
  operand_indices_.clear();
  outputs_.clear();
  escaping_.clear();
  lost_input_ = nullptr;
  num_ops_ = 0;
  for (const Ref<Node>& root : roots) {
    if (!root->is_materialized()) visit(root.get());
  }
  choose_outputs(roots, with_escaping);
  find_donations();
  set_hash();
}

bool Capture::is_captured(const Node* node) const {
  const uint32_t index = node->capture_index();
  return index < entries_.size() && entries_[index].node == node;
}

void Capture::visit(Node* root) {
  if (is_captured(root)) return;
  stack_.push_back({root, 0});
  while (!stack_.empty()) {
    Frame& frame = stack_.back();
    Node* const node = frame.node;
    const std::span<const Ref<Node>> operands = node->operands();
    if (frame.next_operand == operands.size()) {
      stack_.pop_back();
      finish(node);
      continue;
    }
    Node* const operand = operands[frame.next_operand++].get();
    if (is_captured(operand)) continue;
    if (operand->is_materialized()) {
      finish(operand);
    } else {
      stack_.push_back({operand, 0});
    }
  }
}

void Capture::finish(Node* node) {
  Entry entry;
  entry.node = node;
  entry.first_operand = static_cast<uint32_t>(operand_indices_.size());
  if (node->is_lost()) lost_input_ = node;
  if (node->is_materialized()) {
    entry.is_leaf = node->op() != ir::OpKind::constant;
    entry.is_scalar = node->is_scalar_leaf();
  } else {
    for (const Ref<Node>& operand : node->operands()) {
      operand_indices_.push_back(operand->capture_index());
    }
    entry.num_operands = static_cast<uint32_t>(operand_indices_.size()) - entry.first_operand;
    ++num_ops_;
  }
  node->set_capture_index(static_cast<uint32_t>(entries_.size()));
  entries_.push_back(entry);
}

void Capture::choose_outputs(std::span<const Ref<Node>> roots, bool with_escaping) {
  bool keep_history = false;
  for (const Ref<Node>& root : roots) {
    if (!is_captured(root.get())) continue;
    Entry& entry = entries_[root->capture_index()];
    if (entry.is_leaf || entry.is_output) continue;
    entry.is_output = true;
    outputs_.push_back(root->capture_index());
    keep_history |= root->keeps_history();
  }
  references_.assign(entries_.size(), 0);
  for (const uint32_t index : operand_indices_)
    ++references_[index];
  for (uint32_t i = 0; i < entries_.size(); ++i) {
    Entry& entry = entries_[i];
    if (entry.is_output || !is_recorded_op(entry)) continue;
    if (!is_worth_keeping(i, with_escaping, keep_history)) continue;
    entry.is_output = true;
    outputs_.push_back(i);
  }
}

bool Capture::is_worth_keeping(uint32_t index, bool with_escaping, bool keep_history) {
  const Node& node = *entries_[index].node;
  if (keep_history && node.keeps_history() && is_expensive(node)) return true;
  const bool escapes = node.ref_count() > references_[index];
  if (!escapes || is_trivial(node)) return false;
  // Whoever holds a node that was computed before without being kept will ask again; a leaf of
  // autograd is a model's parameter.
  const bool is_parameter = node.requires_grad() && !node.keeps_history();
  if (with_escaping || node.was_computed() || is_parameter) return true;
  escaping_.push_back(index);
  return false;
}

void Capture::find_donations() {
  // References that go after the run, users before operands: an output lets go of its operands
  // unless autograd may still walk there; another node does when it goes itself.
  std::vector<uint32_t>& dropped = references_;
  dropped.assign(entries_.size(), 0);
  for (size_t i = entries_.size(); i-- > 0;) {
    Entry& entry = entries_[i];
    const Node& node = *entry.node;
    if (!entry.is_leaf) {
      const bool lets_go = entry.is_output ? !node.keeps_history() : node.ref_count() == dropped[i];
      if (!lets_go) continue;
      for (const uint32_t operand : operands_of(entry))
        ++dropped[operand];
    } else if (!entry.is_scalar && node.ref_count() == dropped[i]) {
      const runtime::Buffer* const buffer = node.value();
      entry.donated = buffer->is_writable() && buffer->ref_count() == 1;
    }
  }
}

void Capture::set_hash() {
  Hash128 hash{entries_.size(), outputs_.size()};
  for (const Entry& entry : entries_) {
    const Hash128& own = entry.node->hash();
    if (entry.is_leaf) {
      const uint64_t kind = (entry.is_scalar ? 1U : 0U) | (entry.donated ? 2U : 0U);
      hash = combine(hash, {own.low, kind});
      continue;
    }
    hash = combine(hash, {own.high, entry.num_operands});
    for (const uint32_t operand : operands_of(entry))
      hash = combine(hash, operand);
  }
  for (const uint32_t output : outputs_)
    hash = combine(hash, output);
  hash_ = hash;
}

}  // namespace wick::detail
