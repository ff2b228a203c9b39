#include "wick/runtime/interpret_step.h"

#include <cstring>

#include "wick/ir/interpreter.h"

namespace wick::runtime {
namespace {

const Type& type_of(const Plan& plan, int value) {
  return plan.values[static_cast<size_t>(value)].type;
}

}  // namespace

void interpret_step(const Plan& plan,
                    const Step& step,
                    const InterpretStep& interpreted,
                    std::span<const void* const> operands,
                    std::span<void* const> results) {
  std::vector<Literal> values;
  for (size_t i = 0; i < operands.size(); ++i) {
    const Type& type = type_of(plan, step.reads[i]);
    const auto* bytes = static_cast<const std::byte*>(operands[i]);
    values.emplace_back(type, std::span(bytes, type.num_bytes()));
  }
  std::vector<Literal> computed;
  if (interpreted.body != nullptr) {
    computed = ir::interpret(*interpreted.body, values);
  } else {
    std::vector<const Literal*> pointers;
    for (const Literal& value : values)
      pointers.push_back(&value);
    const Type& type = type_of(plan, step.writes[0]);
    computed.push_back(ir::interpret_op(interpreted.op, interpreted.attributes, pointers, type));
  }
  for (size_t i = 0; i < computed.size(); ++i) {
    const std::span<const std::byte> bytes = computed[i].bytes();
    if (!bytes.empty()) std::memcpy(results[i], bytes.data(), bytes.size());
  }
}

}  // namespace wick::runtime
