#include "wick/tensor/trace_key.h"

#include <algorithm>

#include <fmt/format.h>

#include "wick/ir/location.h"
#include "wick/ir/printer.h"

namespace wick::detail {

namespace {

bool same_attributes(const SharedAttributes* a, const SharedAttributes* b) {
  if (a == b) return true;
  if (a == nullptr || b == nullptr || a->hash != b->hash) return false;
  return a->value == b->value;
}

std::string attributes_text(const SharedAttributes* attributes) {
  std::string text;
  if (attributes == nullptr) return text;
  for (const auto& [name, value] : attributes->value.entries()) {
    text += fmt::format("{}{} = {}", text.empty() ? " {" : ", ", name, ir::to_string(value));
  }
  return text.empty() ? text : text + "}";
}

}  // namespace

TraceKey::TraceKey(const Capture& capture)
    : operand_indices_(capture.operand_indices().begin(), capture.operand_indices().end()),
      outputs_(capture.outputs().begin(), capture.outputs().end()),
      with_attributes_(capture.with_attributes().begin(), capture.with_attributes().end()) {
  entries_.reserve(capture.entries().size());
  forms_.reserve(capture.entries().size());
  for (const Capture::Entry& from : capture.entries()) {
    const Node& node = *from.node;
    Entry& entry = entries_.emplace_back();
    static_cast<Capture::Form&>(entry) = from;
    forms_.push_back(entry.bits());
    entry.first_operand = from.first_operand;
    entry.type = node.type();
    if (!from.is_leaf) entry.attributes = Ref<const SharedAttributes>(node.shared_attributes());
  }
}

bool TraceKey::same_entry(size_t i, const Capture& capture) const {
  const Entry& mine = entries_[i];
  const Capture::Entry& other = capture.entries()[i];
  if (mine.bits() != other.bits()) return false;
  if (mine.is_leaf) return mine.type == other.node->type();
  return same_attributes(mine.attributes.get(), other.node->shared_attributes());
}

bool TraceKey::matches(const Capture& capture) const {
  const auto& other = capture.entries();
  if (!std::ranges::equal(forms_, other, {}, {}, &Capture::Entry::bits)) return false;
  if (!std::ranges::equal(operand_indices_, capture.operand_indices())) return false;
  if (!std::ranges::equal(outputs_, capture.outputs())) return false;
  if (!std::ranges::equal(with_attributes_, capture.with_attributes())) return false;
  const auto same_type = [&](uint32_t leaf) {
    return entries_[leaf].type == other[leaf].node->type();
  };
  const auto same_attributes_at = [&](uint32_t index) {
    return same_attributes(entries_[index].attributes.get(),
                           other[index].node->shared_attributes());
  };
  return std::ranges::all_of(capture.leaves(), same_type) &&
         std::ranges::all_of(with_attributes_, same_attributes_at);
}

bool TraceKey::same_form(size_t i, const Capture& capture) const {
  const Entry& mine = entries_[i];
  const Capture::Entry& other = capture.entries()[i];
  if (mine.is_leaf != other.is_leaf || mine.is_scalar != other.is_scalar) return false;
  if (!mine.is_leaf && mine.op != other.node->op()) return false;
  const auto operands = std::span(operand_indices_).subspan(mine.first_operand, mine.num_operands);
  return std::ranges::equal(operands, capture.operands_of(other));
}

TraceKey::Nearness TraceKey::nearness(const Capture& capture) const {
  const size_t shorter = std::min(entries_.size(), capture.entries().size());
  Nearness result;
  while (result.form < shorter && same_form(result.form, capture))
    ++result.form;
  while (result.exact < result.form && same_entry(result.exact, capture))
    ++result.exact;
  return result;
}

std::string TraceKey::difference(const Capture& capture) const {
  const auto& now = capture.entries();
  const size_t shared = nearness(capture).exact;
  if (shared == now.size() || shared == entries_.size()) {
    if (now.size() == entries_.size()) return "other values are kept";
    return fmt::format("the program has {} nodes, not {}", now.size(), entries_.size());
  }
  const Entry& mine = entries_[shared];
  const Node& node = *now[shared].node;
  const auto place = [](const Node& at) { return to_string(Location(at.where())); };
  if (!now[shared].is_leaf) {
    return fmt::format("{}: {}{} {}, not {}{} {}",
                       place(node),
                       to_string(node.op()),
                       attributes_text(node.shared_attributes()),
                       to_string(node.type()),
                       to_string(mine.op),
                       attributes_text(mine.attributes.get()),
                       to_string(mine.type));
  }
  const auto user = std::ranges::find_if(now, [&](const Capture::Entry& entry) {
    const auto operands = capture.operands_of(entry);
    return std::ranges::find(operands, static_cast<uint32_t>(shared)) != operands.end();
  });
  const auto operands = capture.operands_of(*user);
  const auto position =
      std::ranges::find(operands, static_cast<uint32_t>(shared)) - operands.begin();
  const auto describe = [](const Type& type, bool scalar, bool donated) {
    return to_string(type) + (scalar ? " {scalar}" : donated ? " {donate}" : "");
  };
  return fmt::format("{}: operand {} of {} is {}, not {}",
                     place(*user->node),
                     position + 1,
                     ir::op_name(user->node->op(), user->node->attributes()),
                     describe(node.type(), now[shared].is_scalar, now[shared].donated),
                     mine.is_leaf ? describe(mine.type, mine.is_scalar, mine.donated)
                                  : fmt::format("computed by {} here", to_string(mine.op)));
}

}  // namespace wick::detail
