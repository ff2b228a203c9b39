#include "wick/autograd/autograd.h"
#include "wick/tensor/node.h"

namespace wick {

NoGradGuard::NoGradGuard() : previous_(detail::grad_mode()) {
  detail::set_grad_mode(false);
}

NoGradGuard::~NoGradGuard() {
  detail::set_grad_mode(previous_);
}

EnableGradGuard::EnableGradGuard() : previous_(detail::grad_mode()) {
  detail::set_grad_mode(true);
}

EnableGradGuard::~EnableGradGuard() {
  detail::set_grad_mode(previous_);
}

}  // namespace wick
