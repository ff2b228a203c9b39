#include <functional>
#include <vector>

#include "sweep/programs.h"
#include <torch/torch.h>

namespace sweep {

namespace {

using torch::Tensor;

using Tensors = std::vector<Tensor>;
using Sizes = std::vector<int64_t>;

/// As the programs name them.
struct DType {
  static constexpr auto f32 = torch::kFloat;
  static constexpr auto f64 = torch::kDouble;
  static constexpr auto i32 = torch::kInt;
  static constexpr auto i64 = torch::kLong;
  static constexpr auto bf16 = torch::kBFloat16;
  static constexpr auto f16 = torch::kHalf;
  static constexpr auto i8 = torch::kChar;
};

Tensor uniform(const Sizes& sizes, torch::ScalarType dtype = torch::kFloat) {
  return (torch::rand(sizes) * 2 - 1).to(dtype);
}

Tensor integers(const Sizes& sizes, int64_t end, torch::ScalarType dtype = torch::kLong) {
  return torch::floor(torch::rand(sizes) * end).to(dtype);
}

using Function = std::function<Tensor(const Tensors&)>;

Step forward(const Tensors& v, const Function& f) {
  return [=] {
    const torch::NoGradGuard no_grad;
    f(v);
  };
}

Step with_gradients(Tensors v, const Function& f) {
  Tensors inputs;
  for (Tensor& x : v) {
    if (!x.is_floating_point()) continue;
    x.requires_grad_();
    inputs.push_back(x);
  }
  Tensor cotangent;
  {
    const torch::NoGradGuard no_grad;
    cotangent = torch::ones_like(f(v)) * 0.5;
  }
  return [=] { torch::autograd::grad({f(v)}, inputs, {cotangent}); };
}

}  // namespace

Programs torch_programs() {
  Programs programs;
#define EITHER(of_wick, of_torch) of_torch
#include "sweep/programs/all.inc"
  return programs;
}

}  // namespace sweep
