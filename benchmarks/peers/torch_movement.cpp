// Rows that move, choose and pool more than they compute.

#include <vector>

#include "peers/torch_workloads.h"
#include <torch/torch.h>

namespace torch_bench {

namespace {

using torch::Tensor;

/// A step that records no history.
void add(Workloads& all,
         const std::string& name,
         const std::vector<int64_t>& shape,
         const std::function<Tensor(const Tensor&)>& f) {
  all.push_back({name, [=]() -> std::function<void()> {
                   const Tensor x = uniform(shape);
                   return [=] {
                     const torch::NoGradGuard no_grad;
                     f(x);
                   };
                 }});
}

void add_max_pool_gradient(Workloads& all) {
  all.push_back({"max-pool-8x64x112x112-grad", []() -> std::function<void()> {
                   Tensor x = uniform({8, 64, 112, 112}).requires_grad_();
                   const Tensor cotangent = uniform({8, 64, 56, 56});
                   return [=] {
                     x.mutable_grad() = Tensor();
                     torch::max_pool2d(x, {2, 2}).backward(cotangent);
                   };
                 }});
}

void add_jacobi(Workloads& all) {
  constexpr int64_t kSide = 1501;
  all.push_back({"jacobi-1501", []() -> std::function<void()> {
                   const Tensor start = uniform({kSide, kSide});
                   const Tensor f = uniform({kSide, kSide});
                   return [=] {
                     const torch::NoGradGuard no_grad;
                     Tensor u = start;
                     for (int i = 0; i < 10; ++i) {
                       const Tensor framed = at::constant_pad_nd(u, {1, 1, 1, 1});
                       const auto side = [&](int64_t row, int64_t column) {
                         return framed.narrow(0, row, kSide).narrow(1, column, kSide);
                       };
                       u = 0.25 * (side(0, 1) + side(2, 1) + side(1, 0) + side(1, 2) + f);
                     }
                   };
                 }});
}

}  // namespace

void add_movement(Workloads& all) {
  add_jacobi(all);
  add(all, "concat-4x1021x1021", {4, 1021, 1021}, [](const Tensor& x) {
    return torch::cat({x[0], x[1], x[2], x[3]}, 1);
  });
  add(all, "pad-16x64x56x56", {16, 64, 56, 56}, [](const Tensor& x) {
    return at::constant_pad_nd(x, {1, 1, 1, 1});
  });
  add(all, "reverse-axes-127x131x257", {127, 131, 257}, [](const Tensor& x) {
    return x.permute({2, 1, 0}).contiguous();
  });
  add_max_pool_gradient(all);
  add(all, "resize-8x64x33x35", {8, 64, 33, 35}, [](const Tensor& x) {
    return at::upsample_bilinear2d(x, {66, 70}, /*align_corners=*/false);
  });
  add(all, "sort-997x1009", {997, 1009}, [](const Tensor& x) {
    return std::get<0>(torch::sort(x, 1));
  });
  add(all, "topk-10-of-1000x10007", {1000, 10007}, [](const Tensor& x) {
    return std::get<0>(torch::topk(x, 10));
  });
}

}  // namespace torch_bench
