#include <functional>
#include <span>
#include <vector>

#include "sweep/programs.h"

#include "wick/wick.h"

namespace sweep {

namespace {

using namespace wick;  // NOLINT: programs read as users write them

using Tensors = std::vector<Tensor>;

Tensor uniform(const Shape& shape, DType dtype = DType::f32) {
  Tensor x = cast(rand(shape) * 2 - 1, dtype);
  materialize(x);
  return x;
}

Tensor integers(const Shape& shape, int64_t end, DType dtype = DType::i64) {
  Tensor x = cast(floor(rand(shape) * static_cast<float>(end)), dtype);
  materialize(x);
  return x;
}

bool has_gradient(const Tensor& x) {
  return x.dtype() == DType::f32 || x.dtype() == DType::f64;
}

using Function = std::function<Tensor(const Tensors&)>;

Step forward(const Tensors& v, const Function& f) {
  return [=] {
    const NoGradGuard no_grad;
    materialize(f(v));
  };
}

Step with_gradients(Tensors v, const Function& f) {
  Tensors inputs;
  for (Tensor& x : v) {
    if (!has_gradient(x)) continue;
    x.requires_grad_();
    inputs.push_back(x);
  }
  Tensor cotangent;
  {
    const NoGradGuard no_grad;
    cotangent = ones_like(f(v)) * 0.5;
    materialize(cotangent);
  }
  return [=] {
    const Tensor outputs[] = {f(v)};
    Tensors wanted = grad(outputs, inputs, {.cotangents = {cotangent}});
    wanted.push_back(outputs[0]);
    materialize(wanted);
  };
}

}  // namespace

Programs wick_programs() {
  Programs programs;
#define EITHER(of_wick, of_torch) of_wick
#include "sweep/programs/all.inc"
  return programs;
}

}  // namespace sweep
