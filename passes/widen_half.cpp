#include "wick/passes/widen_half.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "wick/passes/epilogue.h"
#include "wick/passes/native_products.h"
#include "wick/passes/rewrite.h"

namespace wick::passes {

namespace {

using ir::OpKind;
using ir::Value;

Value widened(const ir::Node& node, RuleBuilder& build) {
  std::vector<Value> operands;
  for (const Value operand : node.operands()) {
    const bool widen = is_half(operand.type().dtype);
    operands.push_back(widen ? build.op(OpKind::cast, {operand}, {{"dtype", DType::f32}})
                             : operand);
  }
  if (std::ranges::equal(operands, node.operands())) return {};
  const Value wide = build.op(node.op(), std::move(operands), node.attributes());
  const DType dtype = node.type().dtype;
  return is_half(dtype) ? build.op(OpKind::cast, {wide}, {{"dtype", dtype}}) : wide;
}

/// Products that kernels compute are left to them, in f32: of small matrices, and with a vector as
/// it lies in memory. Where little is computed, the library's call in bf16 takes longer than that
/// in f32 with the casts (32 x 32 x 32: as long).
bool suits_native_product(const ir::Node& node) {
  constexpr int64_t kSmall = 4096;    // multiplications of one product of many
  constexpr int64_t kLittle = 65536;  // of all
  if (node.op() != OpKind::matmul || node.type().dtype != DType::bf16) return false;
  if (has_epilogue(node)) return false;
  const Shape& lhs = node.operand(0).type().shape;
  const Shape& shape = node.type().shape;
  const int64_t m = shape[shape.ndim() - 2];
  const int64_t n = shape[shape.ndim() - 1];
  const int64_t k = lhs[lhs.ndim() - (node.attributes().flag("transpose_lhs") ? 2 : 1)];
  return n > 1 && k > 1 && m * n * k > kSmall && shape.numel() * k >= kLittle;
}

const RuleSet& rules(bool keep_products) {
  const auto make = [](const RuleFunction& apply) {
    RuleSet rules;
    for (const ir::OpTrait trait : {ir::kContraction, ir::kPooling})
      rules.add(TraitRule{"widened", trait, apply});
    return rules;
  };
  static const RuleSet all = make(widened);
  static const RuleSet but_products = make([](const ir::Node& node, RuleBuilder& build) {
    return suits_native_product(node) ? Value{} : widened(node, build);
  });
  return keep_products ? but_products : all;
}

class WidenHalf final : public Pass {
 public:
  explicit WidenHalf(bool keep_products) : keep_products_(keep_products) {}

  [[nodiscard]] std::string_view name() const override { return "widen-half"; }

  bool run(ir::Graph& graph, PassContext& context) override {
    return apply_rules(graph, rules(keep_products_), context);
  }

 private:
  bool keep_products_;
};

/// `host` stands for what this machine has.
bool has_native_products(const PassOptions& options) {
  const auto option = options.find("native-products");
  if (option == options.end() || option->second == "none") return false;
  if (option->second == "bf16") return true;
  if (option->second == "host") return has_native_bf16_products();
  constexpr auto kText = "option 'native-products' is '{}', expected none, bf16 or host";
  throw std::invalid_argument(fmt::format(kText, option->second));
}

}  // namespace

PassInfo widen_half_pass_info() {
  return {.name = "widen-half",
          .summary = "compute contractions and pooling of half types in f32",
          .options = {{"native-products", "none"}},
          .create = [](const PassOptions& options) {
            return std::make_unique<WidenHalf>(has_native_products(options));
          }};
}

}  // namespace wick::passes
