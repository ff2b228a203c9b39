#pragma once

// Which attributes each op takes. What verifier and parser check before infer_type reads them.

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "wick/ir/op.h"

namespace wick::ir {

/// In the order of AttributeValue's alternatives.
enum class AttributeKind : uint8_t {
  flag,
  integer,
  number,
  text,
  dtype,
  integers,
  texts,
  literal,
};

inline AttributeKind kind_of(const AttributeValue& value) {
  return static_cast<AttributeKind>(value.index());
}

struct AttributeSpec {
  std::string_view name;
  AttributeKind kind;
  /// What absence means: of a flag, an integer, or each of a list's integers.
  std::optional<int64_t> fallback = std::nullopt;
};

/// The attributes of an op's own meaning, sorted by name. Beside them any op may carry `buffers`
/// and names with a dot, which belong to whoever sets them and are not checked; a custom op any
/// name.
std::span<const AttributeSpec> attribute_specs(OpKind op);

/// Removes what says no more than its absence, so that equal nodes look equal. The attributes have
/// to be sound.
void drop_defaults(OpKind op, Attributes& attributes);

/// What is wrong with the attributes of an op, as the second half of a sentence.
std::optional<std::string> check_attributes(OpKind op, const Attributes& attributes);

}  // namespace wick::ir
