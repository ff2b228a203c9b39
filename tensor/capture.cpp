#include "wick/tensor/capture.h"

#include <algorithm>

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

/// What a backward pass will read. What one has differentiated is rarely asked for again, unless
/// that pass is still pending: if it is, it is computed once more, and kept where that goes on
/// (Node::is_carried).
bool is_kept_for_history(const Node& node, bool is_awaited) {
  if (!node.keeps_history() || !is_expensive(node)) return false;
  return is_awaited || !node.is_differentiated();
}

/// Two numbers below 2^32 as one.
uint64_t pair_of(std::span<const uint32_t> numbers) {
  const uint64_t first = numbers.empty() ? 0 : numbers[0];
  const uint64_t second = numbers.size() < 2 ? 0 : numbers[1];
  return first | second << 32U;
}

Hash128 hash_entry(Hash128 hash, const Capture::Entry& entry, std::span<const uint32_t> operands) {
  hash = combine(hash, {entry.bits(), pair_of(operands)});
  for (size_t i = 2; i < operands.size(); i += 2)
    hash = combine(hash, pair_of(operands.subspan(i)));
  return hash;
}

Hash128 hash_type(Hash128 hash, const Type& type) {
  hash = combine(hash, static_cast<uint64_t>(type.dtype));
  for (const int64_t extent : type.shape)
    hash = combine(hash, static_cast<uint64_t>(extent));
  return hash;
}

}  // namespace

void Capture::walk(std::span<const Ref<Node>> roots, bool with_escaping) {
  entries_.clear();
  leaves_.clear();
  with_attributes_.clear();
  operand_indices_.clear();
  outputs_.clear();
  escaping_.clear();
  carried_.clear();
  has_carried_ = false;
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
  if (node->is_lost()) lost_input_ = node;
  has_carried_ |= node->is_carried();
  const auto index = static_cast<uint32_t>(entries_.size());
  node->set_capture_index(index);
  // In place: a finished entry copied here would be read before its bytes are written together.
  Entry& entry = entries_.emplace_back();
  entry.node = node;
  entry.first_operand = static_cast<uint32_t>(operand_indices_.size());
  if (node->is_materialized() && node->op() != ir::OpKind::constant) {
    entry.is_leaf = true;
    entry.is_scalar = node->is_scalar_leaf();
    leaves_.push_back(index);
    return;
  }
  entry.op = node->op();
  if (node->shared_attributes() != nullptr) with_attributes_.push_back(index);
  if (entry.op == ir::OpKind::constant) return;
  for (const Ref<Node>& operand : node->operands())
    operand_indices_.push_back(operand->capture_index());
  entry.num_operands = static_cast<uint32_t>(operand_indices_.size()) - entry.first_operand;
  ++num_ops_;
}

/// Something outside of the captured nodes refers to the entry's.
bool Capture::escapes(size_t index) const {
  return entries_[index].node->ref_count() > references_[index];
}

/// Entries that something outside will read, or from which it computes what is not kept.
std::vector<bool> Capture::find_awaited() const {
  std::vector<bool> awaited(entries_.size());
  for (size_t i = entries_.size(); i-- > 0;) {
    const Entry& entry = entries_[i];
    if (escapes(i)) awaited[i] = true;
    if (!awaited[i] || entry.is_output || is_expensive(*entry.node)) continue;
    for (const uint32_t operand : operands_of(entry))
      awaited[operand] = true;
  }
  return awaited;
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
  std::vector<bool> awaited;
  if (keep_history) awaited = find_awaited();
  for (uint32_t i = 0; i < entries_.size(); ++i) {
    Entry& entry = entries_[i];
    if (entry.is_output || !is_recorded_op(entry)) continue;
    const bool is_for_history = keep_history && is_kept_for_history(*entry.node, awaited[i]);
    if (!is_for_history && !is_worth_keeping(i, with_escaping)) continue;
    entry.is_output = true;
    outputs_.push_back(i);
  }
  if (has_carried_ && !escaping_.empty()) keep_what_is_carried();
}

bool Capture::is_worth_keeping(uint32_t index, bool with_escaping) {
  const Node& node = *entries_[index].node;
  if (!escapes(index) || is_trivial(node)) return false;
  // Whoever holds a node that was computed before without being kept will ask again; a leaf of
  // autograd is a model's parameter.
  const bool is_parameter = node.requires_grad() && !node.keeps_history();
  if (with_escaping || node.is_carried() || is_parameter) return true;
  escaping_.push_back(index);
  return false;
}

/// A loop that asks for a number of each state, and holds a state no longer than until the next is
/// recorded, would compute all states again at each turn: none is ever asked for twice.
void Capture::keep_what_is_carried() {
  std::vector<bool> follows(entries_.size());
  for (uint32_t i = 0; i < entries_.size(); ++i) {
    follows[i] =
        entries_[i].node->is_carried() ||
        std::ranges::any_of(operands_of(entries_[i]), [&](uint32_t k) { return follows[k]; });
  }
  const auto [kept, end] =
      std::ranges::stable_partition(escaping_, [&](uint32_t index) { return !follows[index]; });
  carried_.assign(kept, end);
  escaping_.erase(kept, end);
  for (const uint32_t index : carried_)
    entries_[index].is_output = true;
  outputs_.insert(outputs_.end(), carried_.begin(), carried_.end());
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
  for (const Entry& entry : entries_)
    hash = hash_entry(hash, entry, operands_of(entry));
  // Types of results follow from those of the leaves, operands and attributes.
  for (const uint32_t leaf : leaves_)
    hash = hash_type(hash, entries_[leaf].node->type());
  for (const uint32_t index : with_attributes_)
    hash = combine(hash, entries_[index].node->shared_attributes()->hash);
  for (const uint32_t output : outputs_)
    hash = combine(hash, output);
  hash_ = hash;
}

}  // namespace wick::detail
