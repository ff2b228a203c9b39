// A pass from outside: replaces costly arithmetic by cheaper arithmetic.
//
//   pow(x, n)           x * x * ... by repeated squaring, for integers n up to `max-power`
//   sqrt(x) * sqrt(y)   sqrt(x * y)       with `approximate` only: it moves overflow and rounding
//   exp(x) * exp(y)     exp(x + y)        likewise

#include <cmath>
#include <string>

#include <wick/passes/extension_points.h>
#include <wick/passes/pass_options.h>
#include <wick/passes/pass_registry.h>
#include <wick/passes/pattern.h>
#include <wick/passes/plugin.h>
#include <wick/passes/rewrite.h>

namespace {

using namespace wick;
using namespace wick::passes;
using namespace wick::passes::pattern;
using ir::OpKind;

class StrengthReduction final : public Pass {
 public:
  StrengthReduction(int64_t max_power, bool approximate) : max_power_(max_power) {
    rules_.add(Rule{"powers", OpKind::pow, [this](const ir::Node& node, RuleBuilder& build) {
                      return reduce_power(node, build);
                    }});
    if (!approximate) return;
    rules_.add(Rule{"joined-roots", OpKind::mul, [](const ir::Node& node, RuleBuilder& build) {
                      return join(node, build, OpKind::sqrt, OpKind::mul);
                    }});
    rules_.add(
        Rule{"joined-exponentials", OpKind::mul, [](const ir::Node& node, RuleBuilder& build) {
               return join(node, build, OpKind::exp, OpKind::add);
             }});
  }

  [[nodiscard]] std::string_view name() const override { return "strength-reduction"; }

  bool run(ir::Graph& graph, PassContext& context) override {
    context_ = &context;
    return apply_rules(graph, rules_, context);
  }

 private:
  ir::Value reduce_power(const ir::Node& node, RuleBuilder& build) {
    double power = 0;
    if (!matches(node.operand(1), splat(power))) return {};
    if (power != std::floor(power) || power < 2 || power > static_cast<double>(max_power_)) {
      explain(node,
              "missed-power",
              "the exponent " + std::to_string(power) + " is no integer from 2 to " +
                  std::to_string(max_power_));
      return {};
    }
    explain(
        node, "power", "pow by " + std::to_string(static_cast<int>(power)) + " becomes products");
    const ir::Value x = build.spread(node.operand(0));
    ir::Value result;
    ir::Value square = x;
    for (auto left = static_cast<int64_t>(power); left > 0; left /= 2) {
      if (left % 2 == 1) result = result ? build.op(OpKind::mul, {result, square}) : square;
      if (left > 1) square = build.op(OpKind::mul, {square, square});
    }
    return result;
  }

  /// f(x) * f(y) -> f(combine(x, y)), where both are read only here.
  static ir::Value join(const ir::Node& node, RuleBuilder& build, OpKind f, OpKind combine) {
    ir::Value x;
    ir::Value y;
    const bool both = matches(node.operand(0), only_use(op(f, any(x)))) &&
                      matches(node.operand(1), only_use(op(f, any(y))));
    return both ? build.op(f, {build.op(combine, {x, y})}) : ir::Value();
  }

  void explain(const ir::Node& node, std::string code, std::string text) {
    if (!context_->wants_remarks()) return;
    const bool missed = code.starts_with("missed");
    context_->remark({.pass = "",
                      .code = std::move(code),
                      .missed = missed,
                      .where = node.location(),
                      .other = {},
                      .text = std::move(text)});
  }

  int64_t max_power_;
  RuleSet rules_;
  PassContext* context_ = nullptr;
};

}  // namespace

WICK_PLUGIN("strength-reduction", "1.0") {
  PassRegistry::instance().add(
      {.name = "strength-reduction",
       .summary = "replace powers by products; with `approximate`, join roots and exponentials",
       .options = {{"max-power", "16"}, {"approximate", "false"}},
       .create = [](const PassOptions& options) -> std::unique_ptr<Pass> {
         return std::make_unique<StrengthReduction>(integer_option(options, "max-power", 16, 2),
                                                    flag_option(options, "approximate"));
       }});
  extend_pipeline("before-fusion", "strength-reduction");
}
