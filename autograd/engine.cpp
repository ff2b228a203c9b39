#include "wick/autograd/engine.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "wick/autograd/custom_op_gradient.h"
#include "wick/autograd/meta.h"
#include "wick/autograd/rules.h"
#include "wick/ir/check.h"
#include "wick/ir/error.h"

namespace wick::autograd {
namespace {

using Entry = History::Entry;
using Edge = History::Edge;

class Propagation {
 public:
  Propagation(const History& history, std::span<const int> wanted)
      : history_(history),
        cotangents_(history.entries().size()),
        leads_to_wanted_(history.entries().size()),
        is_wanted_(history.entries().size()) {
    for (const int entry : wanted) {
      if (entry != History::kNone) is_wanted_[static_cast<size_t>(entry)] = true;
    }
    mark_what_leads_to_wanted();
  }

  void add(int entry, const Tensor& cotangent, std::source_location where) {
    Tensor& sum = cotangents_[static_cast<size_t>(entry)];
    sum = sum.defined() ? Operand(sum, where) + Operand(cotangent, where) : cotangent;
  }

  void run() {
    for (size_t i = cotangents_.size(); i-- > 0;) {
      const Entry& entry = history_.entries()[i];
      if (!cotangents_[i].defined()) continue;
      if (leads_to_wanted_[i]) call_hooks(*entry.node, cotangents_[i]);
      if (leads_to_wanted_[i] && entry.num_edges != 0) step(entry, cotangents_[i]);
      if (!is_wanted_[i]) cotangents_[i] = Tensor();  // memory goes as the pass goes
    }
  }

  [[nodiscard]] Tensor cotangent(int entry) const {
    return entry == History::kNone ? Tensor() : cotangents_[static_cast<size_t>(entry)];
  }

 private:
  void mark_what_leads_to_wanted() {
    for (size_t i = 0; i < leads_to_wanted_.size(); ++i) {
      leads_to_wanted_[i] = is_wanted_[i];
      for (const Edge& edge : history_.edges(history_.entries()[i])) {
        if (is_live(edge)) leads_to_wanted_[i] = true;
      }
    }
  }

  [[nodiscard]] bool is_live(const Edge& edge) const {
    return edge.entry != History::kNone && leads_to_wanted_[static_cast<size_t>(edge.entry)];
  }

  /// The cotangent is complete by now.
  static void call_hooks(const detail::Node& node, Tensor& cotangent) {
    Meta* const meta = meta_of(node);
    if (meta == nullptr) return;
    for (const GradientHook& hook : meta->hooks().hooks()) {
      Tensor changed = hook(cotangent);
      if (!changed.defined()) continue;
      if (changed.type() != cotangent.type()) {
        constexpr auto kText = "the hook should give {}, it gave {}";
        throw Error(node.where(),
                    "register_hook",
                    fmt::format(kText, to_string(cotangent.type()), to_string(changed.type())));
      }
      cotangent = std::move(changed);
    }
  }

  void step(const Entry& entry, const Tensor& cotangent) {
    if (const CustomMeta* custom = custom_meta(*entry.node)) {
      step_custom(entry, *custom, cotangent);
    } else if (entry.node->op() == ir::OpKind::custom) {
      step_registered(entry, cotangent);
    } else {
      step_op(entry, cotangent);
    }
  }

  void step_op(const Entry& entry, const Tensor& cotangent) {
    const detail::Node& node = *entry.node;
    const auto edges = history_.edges(entry);
    operands_.clear();
    for (const Edge& edge : edges)
      operands_.push_back(edge.operand);
    for (size_t i = 0; i < edges.size(); ++i) {
      if (!is_live(edges[i])) continue;
      const auto index = static_cast<int>(i);
      const Rule rule = find_rule(node.op(), index);
      if (rule == nullptr) continue;
      Term gradient = rule(Step{node, operands_, cotangent, index});
      if (ir::has(node.op(), ir::kElementwise)) gradient = sum_to(gradient, operands_[i].shape());
      check(gradient.tensor.type() == operands_[i].type(), "a gradient has its operand's type");
      add(edges[i].entry, gradient.tensor, node.where());
    }
    operands_.clear();
  }

  void step_custom(const Entry& entry, const CustomMeta& custom, const Tensor& cotangent) {
    const std::vector<Tensor> inputs = inputs_of(entry);
    add_gradients(
        entry, "custom_gradient", custom.backward()(inputs, Tensor(entry.node), cotangent));
  }

  void step_registered(const Entry& entry, const Tensor& cotangent) {
    const detail::Node& node = *entry.node;
    const std::string_view name = ir::op_name(node.op(), node.attributes());
    const CustomOpGradient* gradient = find_custom_gradient(name);
    if (gradient == nullptr) {
      throw Error(
          node.where(), name, "has no gradient: none was given to register_custom_gradient");
    }
    const std::vector<Tensor> inputs = inputs_of(entry);
    std::vector<Tensor> gradients =
        (*gradient)(inputs, Tensor(entry.node), cotangent, node.attributes());
    for (size_t i = 0; i < std::min(inputs.size(), gradients.size()); ++i) {
      if (!gradients[i].defined()) continue;
      const Shape& shape = inputs[i].shape();
      if (broadcast_shapes(shape, gradients[i].shape()) != gradients[i].shape()) continue;
      gradients[i] = sum_to({gradients[i], node.where()}, shape).tensor;
    }
    add_gradients(entry, name, gradients);
  }

  [[nodiscard]] std::vector<Tensor> inputs_of(const Entry& entry) const {
    std::vector<Tensor> inputs;
    for (const Edge& edge : history_.edges(entry))
      inputs.push_back(edge.operand);
    return inputs;
  }

  /// What a rule from outside gave, an input each.
  void add_gradients(const Entry& entry,
                     std::string_view op,
                     const std::vector<Tensor>& gradients) {
    const std::source_location where = entry.node->where();
    const auto edges = history_.edges(entry);
    if (gradients.size() != edges.size()) {
      constexpr auto kText = "backward should give {} gradients, one an input, it gave {}";
      throw Error(where, op, fmt::format(kText, edges.size(), gradients.size()));
    }
    for (size_t i = 0; i < gradients.size(); ++i) {
      if (!gradients[i].defined()) continue;
      const Type& type = edges[i].operand.type();
      if (gradients[i].type() != type) {
        constexpr auto kText = "the gradient of input {} should be {}, it is {}";
        throw Error(
            where, op, fmt::format(kText, i, to_string(type), to_string(gradients[i].type())));
      }
      if (is_live(edges[i])) add(edges[i].entry, gradients[i], where);
    }
  }

  const History& history_;
  std::vector<Tensor> cotangents_;     // by entry
  std::vector<bool> leads_to_wanted_;  // by entry: a wanted entry is here or below
  std::vector<bool> is_wanted_;        // by entry
  std::vector<Tensor> operands_;       // of the current step; kept to spare allocations
};

}  // namespace

std::vector<Tensor> propagate(const History& history,
                              std::span<const Seed> seeds,
                              std::span<const int> wanted) {
  Propagation propagation(history, wanted);
  for (const Seed& seed : seeds) {
    if (seed.entry == History::kNone) continue;
    propagation.add(seed.entry, seed.cotangent, seed.cotangent.node()->where());
  }
  propagation.run();
  std::vector<Tensor> result;
  result.reserve(wanted.size());
  for (const int entry : wanted)
    result.push_back(propagation.cotangent(entry));
  return result;
}

}  // namespace wick::autograd
