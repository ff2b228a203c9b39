// Sums that wait for other sums.
//
// The gradient of a mean sums g * r + (x - m) * c, where c comes from sums over the same elements:
// so a kernel would walk them once for c, and again for this sum. But c is one number for all that
// is summed, and r too: r * sum(g) + c * sum(x - m) takes sums that wait for less, which the first
// walk forms as well. So with products: the gradient of softmax sums e * (g / s + t), where t and s
// come from sums of e and of e * g, and e stays with each part.

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "wick/passes/canonicalize_rules.h"

namespace wick::passes {

namespace {

using ir::Node;
using ir::OpKind;
using ir::Value;

/// What reductions of one kind go over: elements of a shape, along these axes.
struct Space {
  std::vector<int64_t> extents;
  std::vector<int64_t> axes;
  friend auto operator<=>(const Space&, const Space&) = default;
};

Space space_of(const Node& reduction) {
  const Shape& shape = reduction.operand(0).type().shape;
  return {{shape.begin(), shape.end()}, reduction.attributes().integers("axes")};
}

bool passes_on(OpKind op) {
  return ir::has(op, ir::kElementwise) || op == OpKind::reshape || op == OpKind::broadcast;
}

class WaitingSums {
 public:
  explicit WaitingSums(ir::Graph& graph)
      : graph_(graph),
        stages_(static_cast<size_t>(graph.id_bound())),
        rounded_(static_cast<size_t>(graph.id_bound())),
        waits_(static_cast<size_t>(graph.id_bound())) {
    for (const Node* node = graph.first(); node != nullptr; node = node->next())
      describe(*node);
  }

  /// The sums of one space, from `first` to `last` of its reductions. Returns how many changed.
  int64_t split(const Space& space, Node* first, const Node* last) {
    space_ = &space;
    int64_t changed = 0;
    for (Node* node = first;; node = node->next()) {
      const bool reduces = is_of_space(*node);
      if (reduces || passes_on(node->op()) || reduces_further(*node)) count(*node, reduces);
      if (reduces) changed += split(*node) ? 1 : 0;
      if (node == last) break;
    }
    for (const size_t id : waiting_)
      waits_[id] = 0;
    waiting_.clear();
    return changed;
  }

 private:
  struct Scale {
    Value by;
    bool divides = false;
  };

  /// A part of a sum: products of elements, all scaled by the same numbers.
  struct Term {
    Value value;
    std::vector<Value> multipliers;
    std::vector<Scale> scales;
    bool negative = false;
  };

  /// What the sum of a value is scaled by.
  struct ScaledSum {
    Value value;
    Value factor;                 // none: 1
    std::vector<Value> divisors;  // one after the other, since their product may overflow
    bool negative = false;

    [[nodiscard]] bool has_factor_alone() const { return factor && divisors.empty(); }
  };

  [[nodiscard]] bool is_of_space(const Node& node) const {
    return ir::has(node.op(), ir::kReduction) && space_of(node) == *space_;
  }

  /// Whether a reduction goes on with what has been reduced: whole columns come first, then what is
  /// left of each.
  [[nodiscard]] bool reduces_further(const Node& node) const {
    if (!ir::has(node.op(), ir::kReduction)) return false;
    const Shape& shape = node.operand(0).type().shape;
    return shape.ndim() < std::ssize(space_->extents);
  }

  /// What the operands' stages and roundings make of the node's.
  void describe(const Node& node) {
    int stage = 0;
    for (const Value operand : node.operands())
      stage = std::max(stage, stage_of(operand));
    const OpKind op = node.op();
    if (ir::has(op, ir::kContraction) || ir::has(op, ir::kPooling) || ir::has(op, ir::kOpaque)) {
      ++stage;
    }
    const auto id = static_cast<size_t>(node.id());
    stages_[id] = stage;
    const bool passes_rounding = op == OpKind::mul || op == OpKind::div || op == OpKind::neg ||
                                 op == OpKind::reshape || op == OpKind::broadcast;
    const auto is_rounded_value = [&](Value operand) { return is_rounded(operand); };
    rounded_[id] = op == OpKind::reduce_sum ||
                   (passes_rounding && std::ranges::any_of(node.operands(), is_rounded_value));
  }

  /// Whether the value has been rounded. A maximum has not: what is less it may be exact.
  [[nodiscard]] bool is_rounded(Value value) const {
    return rounded_[static_cast<size_t>(value.node->id())];
  }

  /// How many ops that no kernel computes follow each other up to the value.
  [[nodiscard]] int stage_of(Value value) const {
    return stages_[static_cast<size_t>(value.node->id())];
  }

  /// How many reductions of the space follow each other in front of the value.
  [[nodiscard]] int waits_of(Value value) const {
    return waits_[static_cast<size_t>(value.node->id())];
  }

  void count(const Node& node, bool reduces) {
    int waits = 0;
    const auto id = static_cast<size_t>(node.id());
    for (const Value operand : node.operands())
      waits = std::max(waits, waits_of(operand));
    if (reduces) ++waits;
    if (waits == 0) return;
    waits_[id] = waits;
    waiting_.push_back(id);
  }

  [[nodiscard]] bool is_full(Value value) const {
    return std::ranges::equal(value.type().shape, space_->extents);
  }

  /// One number for all that is summed together.
  [[nodiscard]] bool is_factor(Value value) const {
    const Shape& shape = value.type().shape;
    const int64_t missing = std::ssize(space_->extents) - shape.ndim();
    return std::ranges::all_of(space_->axes, [&](int64_t axis) {
      return axis < missing || shape[static_cast<int>(axis - missing)] == 1;
    });
  }

  /// The operand of a product or quotient that is no factor; -1: there is none, or no factor.
  [[nodiscard]] int scaled_operand(const Node& node) const {
    if (node.op() != OpKind::mul && node.op() != OpKind::div) return -1;
    if (is_full(node.operand(0)) && is_factor(node.operand(1))) return 0;
    const bool is_product = node.op() == OpKind::mul;
    return is_product && is_full(node.operand(1)) && is_factor(node.operand(0)) ? 1 : -1;
  }

  /// exp(x - max(x)): none is negative or above 1, and one of them is 1.
  [[nodiscard]] bool is_softmax_weight(Value value) const {
    const Node& exp = *value.node;
    if (exp.op() != OpKind::exp || exp.operand(0).node->op() != OpKind::sub) return false;
    const Node& less = *exp.operand(0).node;
    const Node& most = *less.operand(1).node;
    return most.op() == OpKind::reduce_max && most.operand(0) == less.operand(0) &&
           space_of(most) == *space_;
  }

  /// Nothing in a kernel waits for what an earlier one has finished: there the gradient of softmax
  /// reads the result instead.
  [[nodiscard]] bool is_product_of_stage(const Node& node) const {
    return node.op() == OpKind::mul && is_full(node.operand(0)) && is_full(node.operand(1)) &&
           stage_of(node.operand(0)) == stage_of(node.operand(1));
  }

  /// Products without their scales may be too large or small for their type; not those of weights.
  [[nodiscard]] bool keeps_range(const Term& term) const {
    const auto is_other = [&](Value value) { return !is_softmax_weight(value); };
    const int64_t others = std::ranges::count_if(term.multipliers, is_other);
    return others + (is_other(term.value) ? 1 : 0) <= 1;
  }

  /// The parts of a term that wait for less; false where it has others.
  bool find_terms(Term term, int waits, std::vector<Term>& found) const {
    constexpr size_t kMostTerms = 8;
    if (waits_of(term.value) < waits) {
      const auto waiting = std::ranges::find_if(
          term.multipliers, [&](Value multiplier) { return waits_of(multiplier) >= waits; });
      if (waiting == term.multipliers.end()) {
        if (!keeps_range(term)) return false;
        found.push_back(std::move(term));
        return found.size() <= kMostTerms;
      }
      std::swap(*waiting, term.value);
    }
    const Node& node = *term.value.node;
    const int scaled = scaled_operand(node);
    if (scaled >= 0) {
      term.scales.push_back({node.operand(1 - scaled), node.op() == OpKind::div});
      term.value = node.operand(scaled);
    } else if (node.op() == OpKind::neg) {
      term.negative = !term.negative;
      term.value = node.operand(0);
    } else if (is_product_of_stage(node) && term.multipliers.size() < kMostTerms) {
      term.multipliers.push_back(node.operand(1));
      term.value = node.operand(0);
    } else if (node.op() == OpKind::add || node.op() == OpKind::sub) {
      Term second = term;
      if (node.op() == OpKind::sub) second.negative = !second.negative;
      return take_operand(term, node.operand(0)) && take_operand(second, node.operand(1)) &&
             find_terms(std::move(term), waits, found) &&
             find_terms(std::move(second), waits, found);
    } else {
      return false;
    }
    return find_terms(std::move(term), waits, found);
  }

  /// Makes a term of a sum or difference one of its operand. x - m stays: the sum of x and that of
  /// m would be large, and their difference is not. It is as inexact as that, though, where m is
  /// rounded and what multiplies it cannot cancel.
  bool take_operand(Term& term, Value operand) const {
    if (is_full(operand)) {
      term.value = operand;
      return true;
    }
    if (term.multipliers.empty() || !is_factor(operand) || !is_rounded(operand)) return false;
    const auto is_weight = [&](Value value) { return is_softmax_weight(value); };
    if (!std::ranges::all_of(term.multipliers, is_weight)) return false;
    term.scales.push_back({operand, false});
    term.value = term.multipliers.back();
    term.multipliers.pop_back();
    return true;
  }

  Value add(OpKind op, std::vector<Value> operands, ir::Attributes attributes = {}) {
    Node* made = graph_.add(op, std::move(operands), std::move(attributes), sum_->location(), sum_);
    waits_.resize(static_cast<size_t>(graph_.id_bound()));
    stages_.resize(waits_.size());
    rounded_.resize(waits_.size());
    describe(*made);
    count(*made, ir::has(op, ir::kReduction));
    return made->result();
  }

  /// In one order, whichever sums ask for it.
  Value product_of(const Term& term) {
    std::vector<Value> values = term.multipliers;
    values.push_back(term.value);
    std::ranges::sort(values, {}, [](Value value) { return value.node->id(); });
    Value product = values[0];
    for (size_t i = 1; i < values.size(); ++i)
      product = add(OpKind::mul, {product, values[i]});
    return product;
  }

  ScaledSum scaled_sum(const Term& term) {
    ScaledSum sum{product_of(term), {}, {}, term.negative};
    for (const auto& [by, divides] : term.scales) {
      if (sum.factor) {
        sum.factor = add(divides ? OpKind::div : OpKind::mul, {sum.factor, by});
      } else if (divides) {
        sum.divisors.push_back(by);
      } else {
        sum.factor = by;
      }
    }
    return sum;
  }

  /// Terms of one value become one sum, if they have factors alone.
  std::vector<ScaledSum> scaled_sums(const std::vector<Term>& terms) {
    std::vector<ScaledSum> sums;
    for (const Term& term : terms) {
      const ScaledSum sum = scaled_sum(term);
      const auto same = std::ranges::find_if(sums, [&](const ScaledSum& other) {
        return other.value == sum.value && other.has_factor_alone() && sum.has_factor_alone();
      });
      if (same == sums.end()) {
        sums.push_back(sum);
      } else {
        const OpKind op = same->negative == sum.negative ? OpKind::add : OpKind::sub;
        same->factor = add(op, {same->factor, sum.factor});
      }
    }
    return sums;
  }

  Value result_of(const ScaledSum& sum) {
    ir::Attributes attributes = sum_->attributes();
    attributes.set("keepdims", true);
    Value result = add(OpKind::reduce_sum, {sum.value}, std::move(attributes));
    if (sum.factor) result = add(OpKind::mul, {result, sum.factor});
    for (const Value divisor : sum.divisors)
      result = add(OpKind::div, {result, divisor});
    return result;
  }

  bool split(Node& sum) {
    const DType dtype = sum.type().dtype;
    if (sum.op() != OpKind::reduce_sum) return false;
    if (dtype != DType::f32 && dtype != DType::f64) return false;
    const int waits = waits_of(sum.operand(0));
    std::vector<Term> terms;
    if (waits == 0 || !find_terms({sum.operand(0), {}, {}, false}, waits, terms)) return false;

    sum_ = &sum;
    Value total;
    for (const ScaledSum& part : scaled_sums(terms)) {
      const Value value = result_of(part);
      if (total) {
        total = add(part.negative ? OpKind::sub : OpKind::add, {total, value});
      } else {
        total = part.negative ? add(OpKind::neg, {value}) : value;
      }
    }
    const Shape& shape = sum.type().shape;
    if (total.type().shape != shape) {
      ir::Attributes attributes{{"shape", std::vector<int64_t>(shape.begin(), shape.end())}};
      total = add(OpKind::reshape, {total}, std::move(attributes));
    }
    graph_.replace_all_uses(sum.result(), total);
    return true;
  }

  ir::Graph& graph_;
  const Space* space_ = nullptr;
  std::vector<int> stages_;      // by node
  std::vector<bool> rounded_;    // by node
  std::vector<int> waits_;       // by node
  std::vector<size_t> waiting_;  // nodes for which it is not 0
  Node* sum_ = nullptr;          // that is taken apart
};

}  // namespace

int64_t split_waiting_sums(ir::Graph& graph) {
  struct Range {
    Node* first = nullptr;
    Node* last = nullptr;
  };

  std::map<Space, Range> spaces;
  for (Node* node = graph.first(); node != nullptr; node = node->next()) {
    if (!ir::has(node->op(), ir::kReduction)) continue;
    Range& range = spaces[space_of(*node)];
    if (range.first == nullptr) range.first = node;
    range.last = node;
  }
  WaitingSums sums(graph);
  int64_t changed = 0;
  for (const auto& [space, range] : spaces)
    if (range.first != range.last) changed += sums.split(space, range.first, range.last);
  return changed;
}

}  // namespace wick::passes
