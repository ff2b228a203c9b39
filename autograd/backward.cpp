#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "wick/autograd/autograd.h"
#include "wick/autograd/engine.h"
#include "wick/autograd/history.h"
#include "wick/autograd/meta.h"
#include "wick/autograd/pending_results.h"
#include "wick/autograd/pullback.h"
#include "wick/ir/error.h"
#include "wick/tensor/ops.h"

namespace wick {
namespace {

using autograd::History;

/// Rules record history of their own only when it may be walked again: ordinary training keeps
/// none.
class RuleMode {
 public:
  explicit RuleMode(bool retain_graph)
      : grad_mode_(detail::grad_mode()),
        in_backward_(detail::in_backward()) {
    detail::set_grad_mode(grad_mode_ && retain_graph);
    detail::set_in_backward(true);
  }

  ~RuleMode() {
    detail::set_grad_mode(grad_mode_);
    detail::set_in_backward(in_backward_);
  }

  RuleMode(const RuleMode&) = delete;
  RuleMode& operator=(const RuleMode&) = delete;

 private:
  bool grad_mode_;
  bool in_backward_;
};

struct Call {
  std::string_view op;
  std::source_location where;

  [[noreturn]] void fail(const std::string& text) const { throw Error(where, op, text); }

  void require_defined(const Tensor& tensor, std::string_view what) const {
    if (!tensor.defined()) fail(fmt::format("{} is undefined", what));
  }

  /// What the cotangent of an output without one is.
  [[nodiscard]] Tensor one_for(const Tensor& output) const {
    if (output.numel() != 1) fail(fmt::format("needs a scalar, got {}", to_string(output.type())));
    return ones(output.shape(), output.dtype(), where);
  }

  void require_gradient(const Tensor& tensor, std::string_view what) const {
    if (autograd::takes_gradient(*tensor.node())) return;
    fail(fmt::format("{} {} does not require a gradient", what, to_string(tensor.type())));
  }

  void check_cotangent(const Tensor& cotangent, const Tensor& output) const {
    require_defined(cotangent, "a cotangent");
    if (cotangent.type() == output.type()) return;
    fail(fmt::format(
        "the cotangent of {} is {}", to_string(output.type()), to_string(cotangent.type())));
  }

  [[nodiscard]] std::vector<Tensor> cotangents(std::span<const Tensor> outputs,
                                               std::span<const Tensor> given) const {
    if (!given.empty() && given.size() != outputs.size()) {
      fail(fmt::format("{} cotangents for {} outputs", given.size(), outputs.size()));
    }
    std::vector<Tensor> result;
    for (size_t i = 0; i < outputs.size(); ++i) {
      if (!given.empty()) check_cotangent(given[i], outputs[i]);
      result.push_back(given.empty() ? one_for(outputs[i]) : given[i]);
    }
    return result;
  }
};

/// The entries of the leaves.
std::vector<int> leaves_of(const History& history) {
  std::vector<int> leaves;
  for (size_t i = 0; i < history.entries().size(); ++i) {
    if (autograd::leaf_meta(*history.entries()[i].node) != nullptr)
      leaves.push_back(static_cast<int>(i));
  }
  return leaves;
}

}  // namespace

void Tensor::backward(bool retain_graph, std::source_location where) const {
  const Call call{"backward", where};
  call.require_defined(*this, "the tensor");
  const Tensor one = call.one_for(*this);
  call.require_gradient(*this, "the scalar");
  History history({{this, 1}, {}, call.op, where});
  const std::vector<int> leaves = leaves_of(history);
  {
    const RuleMode mode(retain_graph);
    const autograd::Seed seed{history.find(*this), one};
    const std::vector<Tensor> gradients = propagate(history, {&seed, 1}, leaves);
    for (size_t i = 0; i < leaves.size(); ++i) {
      if (!gradients[i].defined()) continue;
      const auto& leaf = *history.entries()[static_cast<size_t>(leaves[i])].node;
      autograd::leaf_meta(leaf)->accumulate(gradients[i], where);
      autograd::note_gradient(*autograd::leaf_meta(leaf));
    }
  }
  if (!retain_graph) history.free();
  autograd::note_backward(*this, where);
}

std::vector<Tensor> grad(std::span<const Tensor> outputs,
                         std::span<const Tensor> inputs,
                         const GradOptions& options,
                         std::source_location where) {
  const Call call{"grad", where};
  for (const Tensor& output : outputs)
    call.require_defined(output, "an output");
  for (const Tensor& input : inputs) {
    call.require_defined(input, "an input");
    call.require_gradient(input, "input");
  }
  const std::vector<Tensor> cotangents = call.cotangents(outputs, options.cotangents);
  autograd::Pullback pullback({outputs, inputs, call.op, where});
  const RuleMode mode(options.retain_graph);
  std::vector<Tensor> gradients = pullback.gradients(cotangents);
  if (!options.retain_graph) pullback.free();
  return gradients;
}

std::vector<Tensor> grad(std::initializer_list<Tensor> outputs,
                         std::initializer_list<Tensor> inputs,
                         const GradOptions& options,
                         std::source_location where) {
  return grad(std::span<const Tensor>(outputs.begin(), outputs.size()),
              std::span<const Tensor>(inputs.begin(), inputs.size()),
              options,
              where);
}

Tensor grad(const Tensor& output,
            const Tensor& input,
            const GradOptions& options,
            std::source_location where) {
  return grad(std::span<const Tensor>(&output, 1),
              std::span<const Tensor>(&input, 1),
              options,
              where)
      .front();
}

}  // namespace wick
