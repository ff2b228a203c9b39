#include "wick/passes/splat.h"

#include <algorithm>
#include <cstring>

namespace wick::passes {

namespace {

using ir::OpKind;

/// Large constants are data, not numbers: looking at all elements would cost more than it gives.
constexpr int64_t kMaxScannedElements = 4096;
constexpr int kMaxMovements = 8;

/// Every element of the result is an element of operand 0.
bool only_rearranges(OpKind op) {
  return op == OpKind::broadcast || op == OpKind::reshape || op == OpKind::permute ||
         op == OpKind::slice;
}

/// The constant node behind movement ops, or null.
const ir::Node* constant_behind(ir::Value value) {
  const ir::Node* node = value.node;
  for (int i = 0; i < kMaxMovements && only_rearranges(node->op()); ++i) {
    node = node->operand(0).node;
  }
  return node->op() == OpKind::constant ? node : nullptr;
}

bool has_equal_elements(const Literal& literal) {
  const size_t width = size_of(literal.type().dtype);
  const std::byte* first = literal.data();
  for (int64_t i = 1; i < literal.numel(); ++i) {
    if (std::memcmp(first, first + static_cast<size_t>(i) * width, width) != 0) return false;
  }
  return true;
}

}  // namespace

bool is_constant(ir::Value value) {
  return constant_behind(value) != nullptr;
}

std::optional<double> splat_number(ir::Value value) {
  const ir::Node* constant = constant_behind(value);
  if (constant == nullptr) return std::nullopt;
  const Literal& literal = constant->attributes().literal("value");
  if (literal.numel() == 0 || literal.numel() > kMaxScannedElements ||
      !has_equal_elements(literal)) {
    return std::nullopt;
  }
  return literal.as_double(0);
}

bool is_splat(ir::Value value, double number) {
  const std::optional<double> splat = splat_number(value);
  return splat && *splat == number;
}

bool is_never_negative(ir::Value value) {
  const ir::Node& node = *value.node;
  switch (node.op()) {
    case OpKind::exp:
    case OpKind::sigmoid:
      return true;
    case OpKind::abs:
      return is_float(node.type().dtype);
    case OpKind::mul:
      return is_float(node.type().dtype) && node.operand(0) == node.operand(1);
    case OpKind::cast: {
      const DType from = node.operand(0).type().dtype;
      return from == DType::bool_ || from == DType::u8;
    }
    default:  // anything else may be negative
      return false;
  }
}

}  // namespace wick::passes
