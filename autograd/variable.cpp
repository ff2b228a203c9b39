#include "wick/autograd/variable.h"

#include <algorithm>

#include "wick/autograd/autograd.h"
#include "wick/autograd/history.h"
#include "wick/autograd/meta.h"
#include "wick/tensor/ops.h"

namespace wick::autograd {
namespace {

bool is_source(const History& history, const History::Entry& entry) {
  return std::ranges::all_of(
      history.edges(entry), [](const History::Edge& edge) { return edge.entry == History::kNone; });
}

}  // namespace

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

std::vector<Tensor> other_sources(std::span<const Tensor> tensors,
                                  std::span<const Tensor> variables,
                                  std::source_location where) {
  const History history({tensors, variables, "grad", where});
  std::vector<Tensor> sources;
  for (const History::Entry& entry : history.entries()) {
    const auto is_this = [&](const Tensor& tensor) { return tensor.node() == entry.node; };
    if (is_source(history, entry) && std::ranges::none_of(variables, is_this))
      sources.emplace_back(entry.node);
  }
  return sources;
}

void forget_history(std::span<const Tensor> tensors,
                    std::span<const Tensor> variables,
                    std::source_location where) {
  History history({tensors, variables, "grad", where});
  std::vector<bool> depends(history.entries().size());
  for (const Tensor& variable : variables) {
    if (const int entry = history.find(variable); entry != History::kNone)
      depends[static_cast<size_t>(entry)] = true;
  }
  for (size_t i = 0; i < depends.size(); ++i) {
    for (const History::Edge& edge : history.edges(history.entries()[i])) {
      if (edge.entry != History::kNone && depends[static_cast<size_t>(edge.entry)])
        depends[i] = true;
    }
  }
  history.free(depends);
}

}  // namespace wick::autograd
