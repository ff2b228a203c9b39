#pragma once

// Op kinds, their traits and result inference. The table itself is ir/ops.def.

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "wick/ir/attributes.h"
#include "wick/ir/error.h"
#include "wick/ir/type.h"

namespace wick::ir {

enum class OpKind : uint8_t {
#define WICK_OP(name, min_operands, max_operands, infer, traits, summary) name,
#include "wick/ir/ops.def"
#undef WICK_OP
};

inline constexpr int kNumOps = static_cast<int>(OpKind::fusion) + 1;

enum OpTrait : uint32_t {
  kElementwise = 1U << 0U,
  kReduction = 1U << 1U,
  kMovement = 1U << 2U,
  kContraction = 1U << 3U,
  kPooling = 1U << 4U,
  kSource = 1U << 5U,
  kRandom = 1U << 6U,
  kStructure = 1U << 7U,
  kCommutative = 1U << 8U,
  kFloatOnly = 1U << 9U,
  kIntegerOnly = 1U << 10U,
  kBoolOnly = 1U << 11U,
  kNoFloat = 1U << 12U,  // integers and bool
  kIndexed = 1U << 13U,  // reads or writes at positions that are data
  kOpaque = 1U << 14U,   // never inside a fusion
  kCostly = 1U << 15U,   // an element takes about as long as loading one
};

struct OpInfo {
  std::string_view name;
  int min_operands;
  int max_operands;  // -1: any number
  uint32_t traits;
  std::string_view summary;
};

const OpInfo& op_info(OpKind op);

inline std::string_view to_string(OpKind op) {
  return op_info(op).name;
}

inline bool has(OpKind op, OpTrait trait) {
  return (op_info(op).traits & trait) != 0;
}

std::optional<OpKind> op_from_string(std::string_view name);

/// What users know an op by: for a custom op its registered name, else the name of the kind.
std::string_view op_name(OpKind op, const Attributes& attributes);

using OperandTypes = std::span<const Type* const>;

/// The result type of an op with one result. Throws Error(where, op, ...) naming the operand types
/// when operands or attributes do not fit. The only place where the rules are written: recording,
/// builder, parser and verifier all call it.
Type infer_type(OpKind op,
                OperandTypes operands,
                const Attributes& attributes,
                const Location& where);

}  // namespace wick::ir
