#include <algorithm>
#include <array>

#include <fmt/ranges.h>

#include "wick/ir/format.h"
#include "wick/ir/infer_rules.h"

namespace wick::ir {
namespace {

constexpr std::array<InferRule, kNumOps> kRules = {
#define WICK_OP(name, min_operands, max_operands, infer, traits, summary) infer_##infer,
#include "wick/ir/ops.def"
#undef WICK_OP
};

constexpr std::array<uint32_t, kNumOps> kTraits = {
#define WICK_OP(name, min_operands, max_operands, infer, traits, summary) traits,
#include "wick/ir/ops.def"
#undef WICK_OP
};

constexpr std::array<size_t, kNumOps> kLeastOperands = {
#define WICK_OP(name, min_operands, max_operands, infer, traits, summary) min_operands,
#include "wick/ir/ops.def"
#undef WICK_OP
};

constexpr uint32_t kRestrictions = kFloatOnly | kIntegerOnly | kBoolOnly | kNoFloat;

std::string list_of(OperandTypes operands) {
  std::string text;
  for (const Type* type : operands) {
    text += (text.empty() ? "" : ", ") + to_string(*type);
  }
  return text.empty() ? "nothing" : text;
}

constexpr bool is_allowed(DType dtype, uint32_t traits) {
  if ((traits & kFloatOnly) != 0) return is_float(dtype);
  if ((traits & kIntegerOnly) != 0) return is_integer(dtype);
  if ((traits & kBoolOnly) != 0) return dtype == DType::bool_;
  return (traits & kNoFloat) == 0 || !is_float(dtype);
}

/// A bit for each dtype of which an op makes operands of one type a result of that type.
constexpr std::array<uint32_t, kNumOps> make_kept_dtypes() {
  std::array<uint32_t, kNumOps> kept{};
  for (size_t op = 0; op < kept.size(); ++op) {
    const bool is_numeric = kRules[op] == infer_numeric;
    if (!is_numeric && kRules[op] != infer_same) continue;
    for (uint32_t dtype = 0; dtype < kNumDTypes; ++dtype) {
      if (is_numeric && static_cast<DType>(dtype) == DType::bool_) continue;
      if (is_allowed(static_cast<DType>(dtype), kTraits[op])) kept[op] |= 1U << dtype;
    }
  }
  return kept;
}

// Not constexpr: under sanitizers GCC compares functions only at run time.
const std::array<uint32_t, kNumOps> kKeptDTypes = make_kept_dtypes();

/// The commonest case, for the sake of recording: operands of one type, and a result of it. What it
/// gives true for, the rules accept with that result.
bool keeps_type(OpKind op, OperandTypes operands) {
  const auto row = static_cast<size_t>(op);
  if (kKeptDTypes[row] == 0 || operands.size() != kLeastOperands[row]) return false;
  const auto dtype = static_cast<uint32_t>(operands[0]->dtype);
  if ((kKeptDTypes[row] >> dtype & 1U) == 0) return false;
  return operands.size() == 1 || *operands[0] == *operands[1];
}

std::string_view wanted(uint32_t traits) {
  if ((traits & kFloatOnly) != 0) return "a float";
  if ((traits & kIntegerOnly) != 0) return "an integer";
  if ((traits & kBoolOnly) != 0) return "a bool";
  return "an integer or bool";
}

void check_dtypes(const Inference& call, uint32_t traits) {
  for (const Type* type : call.operands) {
    if (!is_allowed(type->dtype, traits)) {
      call.fail(fmt::format("needs {} operand, got {}", wanted(traits), *type));
    }
  }
}

}  // namespace

bool is_countable(const Shape& shape) {
  int64_t bytes = sizeof(double);
  for (const int64_t extent : shape) {
    // An extent of 0 elsewhere does not excuse the others: strides are products of them.
    if (extent != 0 && __builtin_mul_overflow(bytes, extent, &bytes)) return false;
  }
  return true;
}

Type infer_type(OpKind op,
                OperandTypes operands,
                const Attributes& attributes,
                const Location& where) {
  if (keeps_type(op, operands)) return *operands[0];
  const Inference call{op, operands, attributes, where};
  const auto row = static_cast<size_t>(op);
  call.require_count(op_info(op).min_operands, op_info(op).max_operands);
  if ((kTraits[row] & kRestrictions) != 0) check_dtypes(call, kTraits[row]);
  Type result = kRules[row](call);
  if (!is_countable(result.shape)) {
    call.fail(fmt::format("result {} has too many elements", result));
  }
  return result;
}

void Inference::fail(const std::string& text) const {
  throw Error(where, op_name(op, attributes), text);
}

void Inference::require_count(int least, int most) const {
  const int count = static_cast<int>(operands.size());
  if (count >= least && (most < 0 || count <= most)) return;
  const std::string range = most < 0        ? fmt::format("{} or more", least)
                            : most == least ? fmt::format("{}", least)
                                            : fmt::format("{} to {}", least, most);
  const std::string_view plural = most == 1 ? "" : "s";
  fail(fmt::format("takes {} operand{}, got {}: {}", range, plural, count, list_of(operands)));
}

const std::vector<int64_t>& Inference::required_integers(std::string_view name) const {
  if (!attributes.has(name)) fail(fmt::format("attribute {} is missing", name));
  return attributes.integers(name);
}

Shape Inference::required_shape(std::string_view name) const {
  const std::vector<int64_t>& extents = required_integers(name);
  Shape shape{std::span<const int64_t>(extents)};
  for (const int64_t extent : extents) {
    if (extent < 0) fail(fmt::format("{} {} has a negative extent", name, shape));
  }
  if (!is_countable(shape)) fail(fmt::format("{} {} has too many elements", name, shape));
  return shape;
}

DType Inference::required_dtype(std::string_view name) const {
  if (!attributes.has(name)) fail(fmt::format("attribute {} is missing", name));
  return attributes.dtype(name);
}

std::vector<int64_t> Inference::per_axis(std::string_view name, int count, int64_t fallback) const {
  if (!attributes.has(name)) return std::vector<int64_t>(static_cast<size_t>(count), fallback);
  const std::vector<int64_t>& list = attributes.integers(name);
  if (static_cast<int>(list.size()) != count) {
    fail(fmt::format("{} [{}] should have {} numbers", name, fmt::join(list, ","), count));
  }
  return list;
}

int Inference::axis_of(const Type& type) const {
  const int64_t axis = attributes.integer("axis", 0);
  if (axis < 0 || axis >= type.shape.ndim()) {
    fail(fmt::format("axis {} is out of range for {}", axis, type));
  }
  return static_cast<int>(axis);
}

void Inference::require_same_dtype(const Type& a, const Type& b) const {
  if (a.dtype != b.dtype) fail(fmt::format("dtypes differ: {} and {}", a, b));
}

void Inference::require_choice(std::string_view name,
                               std::initializer_list<std::string_view> choices) const {
  if (!attributes.has(name)) return;
  const std::string& value = attributes.text(name);
  if (std::ranges::find(choices, value) != choices.end()) return;
  fail(fmt::format("{} \"{}\" is none of {}", name, value, fmt::join(choices, ", ")));
}

void Inference::require_float(const Type& type) const {
  if (!is_float(type.dtype)) fail(fmt::format("needs a float operand, got {}", type));
}

}  // namespace wick::ir
