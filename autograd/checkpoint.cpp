#include "wick/autograd/checkpoint.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "wick/autograd/autograd.h"
#include "wick/autograd/meta.h"
#include "wick/autograd/pullback.h"
#include "wick/autograd/variable.h"
#include "wick/ir/error.h"
#include "wick/tensor/generator.h"
#include "wick/tensor/ops.h"

namespace wick {
namespace {

using Tensors = std::vector<Tensor>;
using Where = std::source_location;

/// While it lives, the default generator draws from a state; what it draws does not count.
class GeneratorScope {
 public:
  explicit GeneratorScope(const GeneratorState& state) : previous_(default_generator().state()) {
    default_generator().set_state(state);
  }

  ~GeneratorScope() { default_generator().set_state(previous_); }

  GeneratorScope(const GeneratorScope&) = delete;
  GeneratorScope& operator=(const GeneratorScope&) = delete;

 private:
  GeneratorState previous_;
};

bool can_have_gradient(const Tensor& tensor) {
  return tensor.defined() && is_float(tensor.dtype());
}

/// What f was called with, and how to do it again.
class Segment {
 public:
  Segment(CheckpointedFunction f, Where where)
      : f_(std::move(f)),
        random_(default_generator().state()),
        where_(where) {}

  /// f of stand-ins for all inputs that can have a gradient, by which what it computes is known.
  struct Call {
    Tensors arguments;
    Tensors variables;
    Tensor output;
  };

  [[nodiscard]] Call call(std::span<const Tensor> inputs) const {
    Call call;
    for (const Tensor& input : inputs) {
      if (!can_have_gradient(input)) {
        call.arguments.push_back(input);
        continue;
      }
      call.arguments.push_back(autograd::variable(input, where_));
      call.variables.push_back(call.arguments.back());
    }
    const EnableGradGuard guard;
    call.output = f_(call.arguments);
    if (call.output.defined()) return call;
    throw Error(where_, "checkpoint", "the function's result is undefined");
  }

  /// The gradients of a second call. Its inputs are not computed before the cotangent is: else the
  /// values of the first call would be used, and kept until then. `all` holds, after the inputs,
  /// other tensors that f used.
  [[nodiscard]] Tensors gradients(std::span<const Tensor> all,
                                  size_t num_inputs,
                                  const Tensor& cotangent) const {
    const Call again = call_after(all.first(num_inputs), cotangent);
    Tensors wanted;
    std::vector<size_t> positions;
    for (size_t i = 0; i < all.size(); ++i) {
      if (!all[i].requires_grad()) continue;
      wanted.push_back(i < num_inputs ? again.arguments[i] : all[i]);
      positions.push_back(i);
    }
    const autograd::Pullback pullback(
        {{&again.output, 1}, wanted, "checkpoint", where_, again.variables});
    Tensors found = pullback.gradients({&cotangent, 1});
    if (!detail::grad_mode()) autograd::forget_history({&again.output, 1}, again.variables, where_);
    Tensors result(all.size());
    for (size_t i = 0; i < found.size(); ++i)
      result[positions[i]] = std::move(found[i]);
    return result;
  }

 private:
  [[nodiscard]] Call call_after(std::span<const Tensor> inputs, const Tensor& cotangent) const {
    Tensors late;
    for (const Tensor& input : inputs) {
      const Tensor operands[] = {input, cotangent};
      late.push_back(input.defined() ? record(ir::OpKind::barrier, operands, {}, where_) : input);
    }
    const GeneratorScope scope(random_);
    return call(late);
  }

  CheckpointedFunction f_;
  GeneratorState random_;
  Where where_;
};

/// The same value, whose gradient is that of a second call.
Tensor with_second_call(const Tensor& value, Segment segment, Tensors all, size_t num_inputs) {
  Tensor output = autograd::fresh_alias(value, value.node()->where());
  const auto backward = [segment = std::move(segment), num_inputs](
                            std::span<const Tensor> inputs, const Tensor&, const Tensor& g) {
    return segment.gradients(inputs, num_inputs, g);
  };
  output.node()->set_meta(autograd::make_meta<autograd::CustomMeta>(std::move(all), backward));
  output.node()->set_requires_grad(true);
  output.node()->set_keeps_history(true);
  return output;
}

}  // namespace

Tensor checkpoint(CheckpointedFunction f, std::span<const Tensor> inputs, Where where) {
  if (!detail::grad_mode()) return f(inputs);
  Segment segment(std::move(f), where);
  const Segment::Call first = segment.call(inputs);
  if (!can_have_gradient(first.output)) return first.output;
  Tensors all(inputs.begin(), inputs.end());
  const Tensors others = autograd::other_sources({&first.output, 1}, first.variables, where);
  all.insert(all.end(), others.begin(), others.end());
  autograd::forget_history({&first.output, 1}, first.variables, where);
  const bool requires_grad =
      std::ranges::any_of(all, [](const Tensor& tensor) { return tensor.requires_grad(); });
  if (!requires_grad) return first.output.detach();
  return with_second_call(first.output, std::move(segment), std::move(all), inputs.size());
}

Tensor checkpoint(std::function<Tensor(const Tensor&)> f, const Tensor& x, Where where) {
  return checkpoint(
      [f = std::move(f)](std::span<const Tensor> inputs) { return f(inputs[0]); }, {&x, 1}, where);
}

}  // namespace wick
