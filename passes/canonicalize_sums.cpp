// Sums that wait for other sums.
//
// The gradient of a mean sums g * r + (x - m) * c, where c comes from sums over the same elements:
// so a kernel would walk them once for c, and again for this sum. But c is one number for all that
// is summed, and r too: r * sum(g) + c * sum(x - m) takes sums that wait for less, which the first
// walk forms as well.

#include <algorithm>
#include <map>
#include <unordered_map>
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

/// The reductions of one space, in a graph.
class SumsOfSpace {
 public:
  SumsOfSpace(ir::Graph& graph, const Space& space) : graph_(graph), space_(space) {}

  /// Of the nodes from `first` to `last`. Returns how many sums changed.
  int64_t split(Node* first, const Node* last) {
    int64_t changed = 0;
    for (Node* node = first;; node = node->next()) {
      const int waits = waits_of_operands(*node);
      const bool reduces = ir::has(node->op(), ir::kReduction) && space_of(*node) == space_;
      if (reduces || (passes_on(node->op()) && waits > 0)) waits_[node] = waits + (reduces ? 1 : 0);
      if (node == last) return changed + split(*node);
      changed += split(*node);
    }
  }

 private:
  /// A part of a sum: the value that is summed, times a number for all of its elements, divided by
  /// another.
  struct Term {
    Value value;
    Value factor;   // none: 1
    Value divisor;  // none: 1
    bool negative = false;
  };

  /// How many reductions of the space follow each other in front of the value.
  [[nodiscard]] int waits_of(Value value) const {
    const auto found = waits_.find(value.node);
    return found == waits_.end() ? 0 : found->second;
  }

  [[nodiscard]] int waits_of_operands(const Node& node) const {
    int waits = 0;
    for (const Value operand : node.operands())
      waits = std::max(waits, waits_of(operand));
    return waits;
  }

  [[nodiscard]] bool is_full(Value value) const {
    const Shape& shape = value.type().shape;
    return std::ranges::equal(shape, space_.extents);
  }

  /// One number for all that is summed together.
  [[nodiscard]] bool is_factor(Value value) const {
    const Shape& shape = value.type().shape;
    const int64_t missing = std::ssize(space_.extents) - shape.ndim();
    return std::ranges::all_of(space_.axes, [&](int64_t axis) {
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

  /// The parts of a value that wait for less; false where it has others.
  bool find_terms(Value value, int waits, std::vector<Value>& found) const {
    constexpr size_t kMostTerms = 8;
    if (waits_of(value) < waits) {
      found.push_back(value);
      return found.size() <= kMostTerms;
    }
    const Node& node = *value.node;
    if (const int scaled = scaled_operand(node); scaled >= 0)
      return find_terms(node.operand(scaled), waits, found);
    switch (node.op()) {
      case OpKind::neg:
        return find_terms(node.operand(0), waits, found);
      case OpKind::add:
      case OpKind::sub:
        // x - m stays: the sum of x and that of m would be large, and their difference is not.
        return is_full(node.operand(0)) && is_full(node.operand(1)) &&
               find_terms(node.operand(0), waits, found) &&
               find_terms(node.operand(1), waits, found);
      default:
        return false;
    }
  }

  Value add(OpKind op, std::vector<Value> operands, ir::Attributes attributes = {}) {
    Node* made = graph_.add(op, std::move(operands), std::move(attributes), sum_->location(), sum_);
    waits_[made] = waits_of_operands(*made) + (ir::has(op, ir::kReduction) ? 1 : 0);
    return made->result();
  }

  /// The term of what is scaled.
  Term scaled_term(const Term& term, const Node& node, int scaled) {
    Term inner = term;
    inner.value = node.operand(scaled);
    const Value by = node.operand(1 - scaled);
    Value& number = node.op() == OpKind::mul || term.factor ? inner.factor : inner.divisor;
    const bool divides = node.op() == OpKind::div && term.factor;
    number = number ? add(divides ? OpKind::div : OpKind::mul, {number, by}) : by;
    return inner;
  }

  void make_terms(Term term, int waits, std::vector<Term>& made) {
    const Node& node = *term.value.node;
    if (waits_of(term.value) < waits) return add_term(term, made);
    if (const int scaled = scaled_operand(node); scaled >= 0)
      return make_terms(scaled_term(term, node, scaled), waits, made);
    if (node.op() == OpKind::neg) term.negative = !term.negative;
    term.value = node.operand(0);
    make_terms(term, waits, made);
    if (node.op() == OpKind::neg) return;
    if (node.op() == OpKind::sub) term.negative = !term.negative;
    term.value = node.operand(1);
    make_terms(term, waits, made);
  }

  void add_term(const Term& term, std::vector<Term>& made) {
    const auto is_plain = [](const Term& any) { return any.factor && !any.divisor; };
    const auto same = std::ranges::find_if(made, [&](const Term& other) {
      return other.value == term.value && is_plain(other) && is_plain(term);
    });
    if (same == made.end()) return made.push_back(term);
    const OpKind op = same->negative == term.negative ? OpKind::add : OpKind::sub;
    same->factor = add(op, {same->factor, term.factor});
  }

  Value sum_of(const Term& term) {
    ir::Attributes attributes = sum_->attributes();
    attributes.set("keepdims", true);
    Value part = add(OpKind::reduce_sum, {term.value}, std::move(attributes));
    if (term.factor) part = add(OpKind::mul, {part, term.factor});
    if (term.divisor) part = add(OpKind::div, {part, term.divisor});
    return part;
  }

  int64_t split(Node& sum) {
    const DType dtype = sum.type().dtype;
    if (sum.op() != OpKind::reduce_sum || space_of(sum) != space_) return 0;
    if (dtype != DType::f32 && dtype != DType::f64) return 0;
    const int waits = waits_of(sum.operand(0));
    std::vector<Value> found;
    if (waits == 0 || !find_terms(sum.operand(0), waits, found)) return 0;

    sum_ = &sum;
    std::vector<Term> terms;
    make_terms({sum.operand(0), {}, {}, false}, waits, terms);
    Value total;
    for (const Term& term : terms) {
      const Value part = sum_of(term);
      if (total) {
        total = add(term.negative ? OpKind::sub : OpKind::add, {total, part});
      } else {
        total = term.negative ? add(OpKind::neg, {part}) : part;
      }
    }
    const Shape& shape = sum.type().shape;
    if (total.type().shape != shape) {
      ir::Attributes attributes{{"shape", std::vector<int64_t>(shape.begin(), shape.end())}};
      total = add(OpKind::reshape, {total}, std::move(attributes));
    }
    graph_.replace_all_uses(sum.result(), total);
    return 1;
  }

  ir::Graph& graph_;
  const Space& space_;
  std::unordered_map<const Node*, int> waits_;  // where they are not 0
  Node* sum_ = nullptr;                         // that is taken apart
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
  int64_t changed = 0;
  for (const auto& [space, range] : spaces)
    if (range.first != range.last)
      changed += SumsOfSpace(graph, space).split(range.first, range.last);
  return changed;
}

}  // namespace wick::passes
