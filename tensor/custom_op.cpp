#include "wick/tensor/custom_op.h"

#include <string>
#include <vector>

#include <fmt/format.h>

#include "wick/ir/attribute_schema.h"
#include "wick/ir/custom_op.h"
#include "wick/passes/options.h"
#include "wick/tensor/recording.h"

namespace wick {
namespace {

ir::Attributes named(std::string_view name, ir::Attributes attributes, Where where) {
  if (attributes.has("op")) throw Error(where, name, "the attribute op is the op's own name");
  attributes.set("op", std::string(name));
  if (const auto wrong = ir::check_attributes(ir::OpKind::custom, attributes)) {
    throw Error(where, name, *wrong);
  }
  return attributes;
}

}  // namespace

Tensor custom_op(std::string_view name,
                 std::span<const Tensor> operands,
                 ir::Attributes attributes,
                 Where where) {
  (void)options();  // the first call loads the plug-ins
  std::vector<Ref<detail::Node>> nodes;
  for (const Tensor& operand : operands) {
    if (!operand.defined()) {
      constexpr auto kText = "operand {} is an undefined tensor";
      throw Error(where, name, fmt::format(kText, nodes.size() + 1));
    }
    nodes.push_back(operand.node());
  }
  return detail::record_nodes(
      ir::OpKind::custom, nodes, detail::share(named(name, std::move(attributes), where)), where);
}

Tensor custom_op(std::string_view name,
                 std::initializer_list<Tensor> operands,
                 ir::Attributes attributes,
                 Where where) {
  return custom_op(
      name, std::span(operands.begin(), operands.size()), std::move(attributes), where);
}

}  // namespace wick
