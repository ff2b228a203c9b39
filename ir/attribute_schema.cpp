#include "wick/ir/attribute_schema.h"

#include <algorithm>
#include <array>
#include <vector>

#include <fmt/format.h>

#include "wick/ir/value_names.h"

namespace wick::ir {
namespace {

using enum AttributeKind;
using Specs = std::vector<AttributeSpec>;

constexpr std::array<std::string_view, 8> kKindNames = {"a flag",
                                                        "an integer",
                                                        "a number",
                                                        "a string",
                                                        "a dtype",
                                                        "a list of integers",
                                                        "a list of strings",
                                                        "a literal"};

const Specs kConv = {{"dilation", integers, 1},
                     {"groups", integer, 1},
                     {"padding", integers, 0},
                     {"stride", integers, 1}};
/// Channels in a block of the result.
const AttributeSpec kBlock = {"block", integer, 1};
const Specs kPool = {{"exclude_padding", flag, 0},
                     {"kernel", integers},
                     {"padding", integers, 0},
                     {"stride", integers}};  // absent: the kernel

Specs with(Specs specs, AttributeSpec extra) {
  specs.push_back(extra);
  std::ranges::sort(specs, {}, &AttributeSpec::name);
  return specs;
}

/// No entry: no attributes.
Specs specs_for(OpKind op) {
  if (has(op, kReduction)) return {{"axes", integers}, {"keepdims", flag, 0}};
  const std::pair<OpKind, Specs> rows[] = {
      {OpKind::cast, {{"dtype", dtype}}},
      {OpKind::bitcast, {{"dtype", dtype}}},
      {OpKind::broadcast, {{"shape", integers}}},
      {OpKind::reshape, {{"shape", integers}}},
      {OpKind::permute, {{"axes", integers}}},
      {OpKind::slice, {{"sizes", integers}, {"starts", integers, 0}, {"steps", integers, 1}}},
      {OpKind::concat, {{"axis", integer}}},
      {OpKind::pad, {{"high", integers, 0}, {"interior", integers, 0}, {"low", integers, 0}}},
      {OpKind::gather, {{"along", flag, 0}, {"axis", integer}}},
      {OpKind::scatter, {{"along", flag, 0}, {"axis", integer}, {"mode", text}}},
      {OpKind::scan, {{"axis", integer}, {"kind", text}, {"reverse", flag, 0}}},
      {OpKind::argsort,
       {{"axis", integer}, {"count", integer}, {"descending", flag, 0}, {"start", integer, 0}}},
      {OpKind::matmul,
       {{"activation", text}, {"transpose_lhs", flag, 0}, {"transpose_rhs", flag, 0}}},
      {OpKind::conv, with(kConv, kBlock)},
      {OpKind::conv_input_grad, with(with(kConv, kBlock), {"input_shape", integers})},
      {OpKind::conv_weight_grad, with(kConv, {"weight_shape", integers})},
      {OpKind::max_pool2d, with(kPool, {"argmax", flag, 0})},
      {OpKind::max_pool2d_grad, with(kPool, {"input_shape", integers})},
      {OpKind::avg_pool2d, kPool},
      {OpKind::avg_pool2d_grad, with(kPool, {"input_shape", integers})},
      {OpKind::constant, {{"value", literal}}},
      {OpKind::iota, {{"axis", integer}, {"dtype", dtype}, {"shape", integers}}},
      {OpKind::random_bits, {{"shape", integers}}},
      {OpKind::parameter, {{"donate", flag, 0}, {"scalar", flag, 0}}},
      {OpKind::custom, {{"in_place", integers}, {"op", text}}},
      {OpKind::fusion, {{"in_place", integers}, {"kind", text}}},
  };
  for (const auto& [row, specs] : rows) {
    if (row == op) return specs;
  }
  return {};
}

std::array<Specs, kNumOps> all_specs() {
  std::array<Specs, kNumOps> table;
  for (size_t i = 0; i < table.size(); ++i) {
    table[i] = specs_for(static_cast<OpKind>(i));
  }
  return table;
}

constexpr AttributeSpec kBuffers = {"buffers", texts};

const AttributeSpec* find_spec(OpKind op, std::string_view name) {
  if (name == kBuffers.name) return &kBuffers;
  for (const AttributeSpec& spec : attribute_specs(op)) {
    if (spec.name == name) return &spec;
  }
  return nullptr;
}

bool says(const AttributeValue& value, int64_t number) {
  if (const bool* flag = std::get_if<bool>(&value)) return *flag == (number != 0);
  if (const auto* integer = std::get_if<int64_t>(&value)) return *integer == number;
  const auto* list = std::get_if<std::vector<int64_t>>(&value);
  return list != nullptr &&
         std::ranges::all_of(*list, [&](int64_t element) { return element == number; });
}

}  // namespace

std::span<const AttributeSpec> attribute_specs(OpKind op) {
  static const std::array<Specs, kNumOps> kTable = all_specs();
  return kTable[static_cast<size_t>(op)];
}

void drop_defaults(OpKind op, Attributes& attributes) {
  if (attributes.empty()) return;
  for (const AttributeSpec& spec : attribute_specs(op)) {
    const AttributeValue* value = spec.fallback ? attributes.find(spec.name) : nullptr;
    if (value != nullptr && says(*value, *spec.fallback)) attributes.erase(spec.name);
  }
}

std::optional<std::string> check_attributes(OpKind op, const Attributes& attributes) {
  for (const auto& [name, value] : attributes.entries()) {
    if (!is_identifier(name)) return fmt::format("'{}' is no name of an attribute", name);
    if (name.find('.') != std::string::npos && op != OpKind::custom) continue;
    const AttributeSpec* spec = find_spec(op, name);
    if (spec == nullptr && op == OpKind::custom) continue;
    if (spec == nullptr) return fmt::format("{} has no attribute {}", to_string(op), name);
    if (spec->kind != kind_of(value)) {
      return fmt::format("attribute {} should be {}, not {}",
                         name,
                         kKindNames[static_cast<size_t>(spec->kind)],
                         kKindNames[static_cast<size_t>(kind_of(value))]);
    }
  }
  return std::nullopt;
}

}  // namespace wick::ir
