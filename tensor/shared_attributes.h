#pragma once

// Attributes as the op functions record them. Internal.

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string_view>
#include <variant>

#include "wick/tensor/node.h"

namespace wick::detail {

/// An attribute without memory of its own.
struct Field {
  std::string_view name;
  std::variant<bool, int64_t, DType, std::span<const int64_t>> value;
};

/// Attributes of these fields, which stand in the order of their names. Programs record the same
/// ops again and again: what this thread asked for lately is found without an allocation.
Ref<const SharedAttributes> share(std::initializer_list<Field> fields);
Ref<const SharedAttributes> share(ir::Attributes attributes);

}  // namespace wick::detail
