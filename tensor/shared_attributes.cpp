#include "wick/tensor/shared_attributes.h"

#include <algorithm>
#include <array>
#include <memory>
#include <utility>
#include <vector>

#include "wick/ir/hash.h"

namespace wick::detail {

namespace {

using Integers = std::span<const int64_t>;

size_t hash_of(std::initializer_list<Field> fields) {
  Hash128 hash;
  for (const Field& field : fields) {
    hash = combine(hash, static_cast<uint64_t>(field.name.front()));
    if (const auto* const integers = std::get_if<Integers>(&field.value)) {
      for (const int64_t integer : *integers)
        hash = combine(hash, static_cast<uint64_t>(integer));
    } else if (const auto* const integer = std::get_if<int64_t>(&field.value)) {
      hash = combine(hash, static_cast<uint64_t>(*integer));
    } else if (const auto* const dtype = std::get_if<DType>(&field.value)) {
      hash = combine(hash, static_cast<uint64_t>(*dtype));
    }
  }
  return HashOfHash128()(hash);
}

ir::AttributeValue value_of(const Field& field) {
  return std::visit(
      [](const auto& value) -> ir::AttributeValue {
        if constexpr (std::is_same_v<std::decay_t<decltype(value)>, Integers>) {
          return std::vector<int64_t>(value.begin(), value.end());
        } else {
          return value;
        }
      },
      field.value);
}

bool equals(const ir::AttributeValue& value, const Field& field) {
  return std::visit(
      [&](const auto& of_field) {
        using Value = std::decay_t<decltype(of_field)>;
        if constexpr (std::is_same_v<Value, Integers>) {
          const auto* const integers = std::get_if<std::vector<int64_t>>(&value);
          return integers != nullptr && std::ranges::equal(*integers, of_field);
        } else {
          const auto* const same = std::get_if<Value>(&value);
          return same != nullptr && *same == of_field;
        }
      },
      field.value);
}

bool has_fields(const ir::Attributes& attributes, std::initializer_list<Field> fields) {
  return std::ranges::equal(
      attributes.entries(), fields, [](const ir::Attributes::Entry& entry, const Field& field) {
        return entry.first == field.name && equals(entry.second, field);
      });
}

constexpr size_t kSlots = 1024;
using Table = std::array<Ref<const SharedAttributes>, kSlots>;

/// On the heap: libraries have little room for what is a thread's.
Table& table() {
  thread_local const auto table = std::make_unique<Table>();
  return *table;
}

}  // namespace

Ref<const SharedAttributes> share(ir::Attributes attributes) {
  return make_ref<SharedAttributes>(std::move(attributes));
}

Ref<const SharedAttributes> share(std::initializer_list<Field> fields) {
  Ref<const SharedAttributes>& slot = table()[hash_of(fields) % kSlots];
  if (slot && has_fields(slot->value, fields)) return slot;
  ir::Attributes attributes;
  for (const Field& field : fields)
    attributes.set(field.name, value_of(field));
  slot = share(std::move(attributes));
  return slot;
}

}  // namespace wick::detail
