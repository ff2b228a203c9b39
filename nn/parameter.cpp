#include "wick/nn/parameter.h"

#include <utility>

#include <fmt/format.h>

#include "wick/autograd/autograd.h"
#include "wick/ir/error.h"
#include "wick/nn/pending_state.h"

namespace wick::nn {

namespace {

void check_same_type(const Type& have, const Type& given, Where where) {
  if (have == given) return;
  throw Error(
      where,
      "assign",
      fmt::format("the cell holds {}, the new value is {}", to_string(have), to_string(given)));
}

}  // namespace

Parameter::Parameter(Tensor initial, Where where) : cell_(std::make_shared<detail::Cell>()) {
  initial.requires_grad_(true, where);
  cell_->value = std::move(initial);
}

void Parameter::assign(const Tensor& value, Where where) {
  check_same_type(type(), value.type(), where);
  Tensor leaf = value.requires_grad() ? value.detach() : value;
  leaf.requires_grad_(true, where);
  cell_->carried_grad = grad();
  cell_->value = std::move(leaf);
}

Tensor Parameter::grad() const {
  const Tensor recent = value().grad();
  if (!cell_->carried_grad.defined()) return recent;
  if (!recent.defined()) return cell_->carried_grad;
  const NoGradGuard no_grad;
  return cell_->carried_grad + recent;
}

void Parameter::zero_grad() {
  cell_->carried_grad = Tensor();
  cell_->value.zero_grad();
}

Buffer::Buffer(Tensor initial) : cell_(std::make_shared<detail::Cell>()) {
  cell_->value = std::move(initial);
}

void Buffer::assign(const Tensor& value, Where where) {
  check_same_type(this->value().type(), value.type(), where);
  cell_->value = value;
  detail::list_pending(cell_);
}

}  // namespace wick::nn
