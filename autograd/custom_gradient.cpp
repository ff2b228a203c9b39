#include <algorithm>
#include <utility>

#include "wick/autograd/autograd.h"
#include "wick/autograd/history.h"
#include "wick/autograd/meta.h"
#include "wick/ir/error.h"

namespace wick {
namespace {

Tensor run_forward(const CustomForward& forward, std::span<const Tensor> inputs) {
  const NoGradGuard guard;
  Tensor result = forward(inputs);
  if (!result.defined()) {
    throw Error(Location(), "custom_gradient", "forward gave an undefined tensor");
  }
  return result;
}

bool needs_gradient(std::span<const Tensor> inputs, const Tensor& result) {
  return detail::grad_mode() && is_float(result.dtype()) &&
         std::ranges::any_of(inputs, [](const Tensor& input) { return input.requires_grad(); });
}

}  // namespace

std::function<Tensor(std::span<const Tensor>)> custom_gradient(CustomForward forward,
                                                               CustomBackward backward) {
  return [forward = std::move(forward),
          backward = std::move(backward)](std::span<const Tensor> inputs) {
    const Tensor result = run_forward(forward, inputs);
    if (!needs_gradient(inputs, result)) return result;
    // The result may be an input, or belong to somebody else: the rule hangs on a node of its own.
    Tensor output = autograd::fresh_alias(result, result.node()->where());
    output.node()->set_meta(autograd::make_meta<autograd::CustomMeta>(
        std::vector<Tensor>(inputs.begin(), inputs.end()), backward));
    output.node()->set_requires_grad(true);
    output.node()->set_keeps_history(true);
    return output;
  };
}

}  // namespace wick
