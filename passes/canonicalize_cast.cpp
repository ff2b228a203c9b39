#include "wick/passes/canonicalize_rules.h"

namespace wick::passes {

namespace {

using ir::Node;
using ir::OpKind;
using ir::Value;

/// Bits that decide which numbers a dtype holds exactly: of an integer with its sign, or of a
/// float's significand.
int precision_bits(DType dtype) {
  switch (dtype) {
    case DType::f32:
      return 24;
    case DType::f64:
      return 53;
    case DType::f16:
      return 11;
    case DType::bf16:
      return 8;
    case DType::i8:
      return 8;
    case DType::i16:
      return 16;
    case DType::i32:
      return 32;
    case DType::i64:
      return 64;
    case DType::u8:
      return 8;
    case DType::bool_:
      return 1;
  }
  return 0;
}

/// Every number of `from` is one of `to`.
bool is_lossless(DType from, DType to) {
  if (from == to || from == DType::bool_) return true;
  if (to == DType::bool_) return false;
  if (is_float(from)) {
    // bf16 has f32's range of exponents, f16 fewer.
    return to == DType::f64 || (to == DType::f32 && from != DType::f64);
  }
  if (is_float(to)) return precision_bits(from) <= precision_bits(to);
  if (from == DType::u8) return precision_bits(to) > 8;
  return to != DType::u8 && precision_bits(from) <= precision_bits(to);
}

Value cast_to_same(const Node& node, RuleBuilder& /*build*/) {
  return node.type().dtype == node.operand(0).type().dtype ? node.operand(0) : Value{};
}

/// Floats out of the range of an integer saturate, wider integers wrap.
bool saturates(DType from, DType to) {
  return is_float(from) && is_integer(to);
}

/// The first of two casts changed nothing but the dtype.
Value cast_of_cast(const Node& node, RuleBuilder& build) {
  const Node* inner = producer(node.operand(0), OpKind::cast);
  if (inner == nullptr) return {};
  const Value source = inner->operand(0);
  const DType from = source.type().dtype;
  const DType between = inner->type().dtype;
  const DType to = node.type().dtype;
  if (!is_lossless(from, between)) return {};
  if (saturates(between, to) != saturates(from, to) && !is_lossless(from, to)) return {};
  if (from == to) return source;
  return build.op(OpKind::cast, {source}, {{"dtype", to}});
}

const Rule kCastRules[] = {
    {"cast-to-same", OpKind::cast, cast_to_same},
    {"cast-of-cast", OpKind::cast, cast_of_cast},
};

}  // namespace

std::span<const Rule> cast_rules() {
  return kCastRules;
}

}  // namespace wick::passes
