#include "wick/autograd/variable.h"

#include <algorithm>

#include "wick/autograd/autograd.h"
#include "wick/autograd/history.h"
#include "wick/autograd/meta.h"
#include "wick/tensor/ops.h"

namespace wick::autograd {

Tensor variable(const Tensor& x, std::source_location where) {
  if (!x.requires_grad()) {
    const Tensor alias = fresh_alias(x, where);
    alias.node()->set_requires_grad(true);
    alias.node()->set_keeps_history(true);
    return alias;
  }
  const EnableGradGuard guard;
  const Shape& shape = x.shape();
  return record(ir::OpKind::reshape, {&x, 1}, {{"shape", Axes(shape.begin(), shape.end())}}, where);
}

bool depend_on_others(std::span<const Tensor> tensors,
                      std::span<const Tensor> variables,
                      std::source_location where) {
  const History history({tensors, {}, "grad", where});
  const auto is_source = [&](const History::Entry& entry) {
    return std::ranges::all_of(history.edges(entry), [](const History::Edge& edge) {
      return edge.entry == History::kNone;
    });
  };
  const auto is_variable = [&](const History::Entry& entry) {
    return std::ranges::any_of(variables,
                               [&](const Tensor& tensor) { return tensor.node() == entry.node; });
  };
  return std::ranges::any_of(history.entries(), [&](const History::Entry& entry) {
    return is_source(entry) && !is_variable(entry);
  });
}

}  // namespace wick::autograd
