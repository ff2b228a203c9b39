// Sums that wait for other sums.
//
// The gradient of a mean sums g * r + (x - m) * c, where c comes from sums over the same elements:
// so a kernel would walk them once for c, and again for this sum. But c is one number for all that
// is summed, and r too: r * sum(g) + c * sum(x - m) takes sums that wait for less, which the first
// walk forms as well.

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
        waits_(static_cast<size_t>(graph.id_bound())) {}

  /// The sums of one space, from `first` to `last` of its reductions. Returns how many changed.
  int64_t split(const Space& space, Node* first, const Node* last) {
    space_ = &space;
    int64_t changed = 0;
    for (Node* node = first;; node = node->next()) {
      const bool reduces = is_of_space(*node);
      if (reduces || passes_on(node->op())) count(*node, reduces);
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

  /// A part of a sum: a value whose elements are all scaled by the same numbers.
  struct Term {
    Value value;
    std::vector<Scale> scales;
    bool negative = false;
  };

  /// What the sum of a value is scaled by.
  struct ScaledSum {
    Value value;
    Value factor;   // none: 1
    Value divisor;  // none: 1
    bool negative = false;

    [[nodiscard]] bool has_factor_alone() const { return factor && !divisor; }
  };

  [[nodiscard]] bool is_of_space(const Node& node) const {
    return ir::has(node.op(), ir::kReduction) && space_of(node) == *space_;
  }

  /// How many reductions of the space follow each other in front of the value.
  [[nodiscard]] int waits_of(Value value) const {
    return waits_[static_cast<size_t>(value.node->id())];
  }

  void count(const Node& node, bool reduces) {
    int waits = 0;
    for (const Value operand : node.operands())
      waits = std::max(waits, waits_of(operand));
    if (reduces) ++waits;
    if (waits == 0) return;
    const auto id = static_cast<size_t>(node.id());
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

  /// The parts of a term that wait for less; false where it has others.
  bool find_terms(Term term, int waits, std::vector<Term>& found) const {
    constexpr size_t kMostTerms = 8;
    if (waits_of(term.value) < waits) {
      found.push_back(std::move(term));
      return found.size() <= kMostTerms;
    }
    const Node& node = *term.value.node;
    const int scaled = scaled_operand(node);
    if (scaled >= 0) {
      term.scales.push_back({node.operand(1 - scaled), node.op() == OpKind::div});
    } else if (node.op() == OpKind::neg) {
      term.negative = !term.negative;
    } else if (node.op() == OpKind::add || node.op() == OpKind::sub) {
      // x - m stays: the sum of x and that of m would be large, and their difference is not.
      if (!is_full(node.operand(0)) || !is_full(node.operand(1))) return false;
      Term second = term;
      second.value = node.operand(1);
      if (node.op() == OpKind::sub) second.negative = !second.negative;
      term.value = node.operand(0);
      return find_terms(std::move(term), waits, found) &&
             find_terms(std::move(second), waits, found);
    } else {
      return false;
    }
    term.value = node.operand(std::max(scaled, 0));
    return find_terms(std::move(term), waits, found);
  }

  Value add(OpKind op, std::vector<Value> operands, ir::Attributes attributes = {}) {
    Node* made = graph_.add(op, std::move(operands), std::move(attributes), sum_->location(), sum_);
    waits_.resize(static_cast<size_t>(graph_.id_bound()));
    count(*made, ir::has(op, ir::kReduction));
    return made->result();
  }

  ScaledSum scaled_sum(const Term& term) {
    ScaledSum sum{term.value, {}, {}, term.negative};
    for (const auto& [by, divides] : term.scales) {
      if (sum.factor) {
        sum.factor = add(divides ? OpKind::div : OpKind::mul, {sum.factor, by});
      } else if (divides) {
        sum.divisor = sum.divisor ? add(OpKind::mul, {sum.divisor, by}) : by;
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
    if (sum.divisor) result = add(OpKind::div, {result, sum.divisor});
    return result;
  }

  bool split(Node& sum) {
    const DType dtype = sum.type().dtype;
    if (sum.op() != OpKind::reduce_sum) return false;
    if (dtype != DType::f32 && dtype != DType::f64) return false;
    const int waits = waits_of(sum.operand(0));
    std::vector<Term> terms;
    if (waits == 0 || !find_terms({sum.operand(0), {}, false}, waits, terms)) return false;

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
