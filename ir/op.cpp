#include "wick/ir/op.h"

#include <array>

namespace wick::ir {
namespace {

constexpr std::array<OpInfo, kNumOps> kTable = {{
#define WICK_OP(name, min_operands, max_operands, infer, traits, summary) \
  {#name, min_operands, max_operands, traits, summary},
#include "wick/ir/ops.def"
#undef WICK_OP
}};

}  // namespace

const OpInfo& op_info(OpKind op) {
  return kTable[static_cast<size_t>(op)];
}

std::optional<OpKind> op_from_string(std::string_view name) {
  for (size_t i = 0; i < kTable.size(); ++i) {
    if (kTable[i].name == name) return static_cast<OpKind>(i);
  }
  return std::nullopt;
}

std::string_view op_name(OpKind op, const Attributes& attributes) {
  if (op == OpKind::custom) {
    const AttributeValue* value = attributes.find("op");
    const auto* name = value == nullptr ? nullptr : std::get_if<std::string>(value);
    if (name != nullptr) return *name;
  }
  return to_string(op);
}

}  // namespace wick::ir
