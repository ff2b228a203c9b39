#include "wick/ir/format.h"
#include "wick/ir/infer_rules.h"

namespace wick::ir {

Type infer_constant(const Inference& call) {
  if (!call.attributes.has("value")) call.fail("attribute value is missing");
  return call.attributes.literal("value").type();
}

Type infer_iota(const Inference& call) {
  const Type result{call.required_dtype("dtype"), call.required_shape("shape")};
  if (result.dtype == DType::bool_) call.fail("dtype should be numeric, got bool");
  [[maybe_unused]] const int axis = call.axis_of(result);
  return result;
}

Type infer_random_bits(const Inference& call) {
  for (const Type* type : call.operands) {
    if (*type != Type{DType::i64, {}}) {
      call.fail(fmt::format("key and offset should be i64[], got {}", *type));
    }
  }
  return {DType::i32, call.required_shape("shape")};
}

Type infer_parameter(const Inference& /*call*/) {
  check_failed("the type of a parameter is given, not inferred", std::source_location::current());
}

Type infer_fusion(const Inference& /*call*/) {
  check_failed("the types of a fusion are those of its body", std::source_location::current());
}

}  // namespace wick::ir
