#include "wick/runtime/plan_tags.h"

#include <algorithm>
#include <map>
#include <utility>

namespace wick::runtime {
namespace {

AllocationTag tag_of(const PlanValue& owner, std::string_view purpose) {
  return {.purpose = purpose, .op = ir::to_string(owner.op), .where = owner.where};
}

/// A reshape lies where its operand lies, from the same step on: both are one item.
void add_values(const Plan& plan, std::vector<ArenaItem>& items) {
  std::map<std::pair<size_t, int>, size_t> known;
  for (const PlanValue& value : plan.values) {
    if (value.place.kind != Place::Kind::arena || value.type.num_bytes() == 0) continue;
    const int last = std::max(value.defined_at, value.last_read);
    const auto [entry, is_new] =
        known.try_emplace({value.place.offset, value.defined_at}, items.size());
    if (!is_new) {
      items[entry->second].last_step = std::max(items[entry->second].last_step, last);
      continue;
    }
    items.push_back({.op = ir::to_string(value.op),
                     .where = value.where,
                     .offset = value.place.offset,
                     .bytes = value.type.num_bytes(),
                     .first_step = value.defined_at,
                     .last_step = last});
  }
}

/// By parameter, the first value that a step writes into its place, or null.
std::vector<const PlanValue*> overwriters(const Plan& plan) {
  std::vector<const PlanValue*> found(plan.parameters.size(), nullptr);
  for (const PlanValue& value : plan.values) {
    if (value.place.kind != Place::Kind::param || value.defined_at < 0) continue;
    const PlanValue*& first = found[static_cast<size_t>(value.place.index)];
    if (first == nullptr) first = &value;
  }
  return found;
}

}  // namespace

void tag_allocations(Plan& plan, std::span<const int> result_values) {
  AllocationTags& tags = plan.tags;
  add_values(plan, tags.arena_items);
  std::ranges::stable_sort(tags.arena_items, {}, &ArenaItem::offset);
  tags.arena = {.purpose = "arena", .contents = tags.arena_items};
  const auto largest = std::ranges::max_element(tags.arena_items, {}, &ArenaItem::bytes);
  if (largest != tags.arena_items.end()) {
    tags.arena.op = largest->op;
    tags.arena.where = largest->where;
  }
  const std::vector<const PlanValue*> overwriting = overwriters(plan);
  for (const int parameter : plan.overwritten) {
    const PlanValue* const value = overwriting[static_cast<size_t>(parameter)];
    check(value != nullptr, "a step overwrites the parameter");
    tags.overwritten.push_back(tag_of(*value, "argument copy"));
  }
  for (const int value : result_values)
    tags.results.push_back(tag_of(plan.values[static_cast<size_t>(value)], "result"));
}

}  // namespace wick::runtime
