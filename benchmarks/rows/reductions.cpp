// Sums, and what is made from sums of rows: softmax and layer norm from primitives, forward and
// with their gradients.

#include <utility>
#include <vector>

#include "harness/row.h"
#include "rows/inputs.h"
#include "rows/outer_sum_by_hand.h"
#include <fmt/format.h>

namespace wick::bench {

namespace {

Tensor softmax_of_primitives(const Tensor& x) {
  const Tensor e = exp(x - max(x, {-1}, true));
  return e / sum(e, {-1}, true);
}

Tensor layer_norm_of_primitives(const Tensor& x, const Tensor& weight, const Tensor& bias) {
  const Tensor d = x - mean(x, {-1}, true);
  const Tensor variance = mean(d * d, {-1}, true);
  return d * rsqrt(variance + 1e-5) * weight + bias;
}

/// Reads x and writes y.
Row softmax(std::string name, int64_t rows, int64_t columns) {
  return {.name = std::move(name),
          .what = "softmax over rows, from primitives",
          .floor = copy_floor(2 * f32_bytes(rows * columns)),
          .goal = 1 / 1.3,
          .make = [=]() -> Workload {
            const Tensor x = uniform_input({rows, columns}, -4, 4);
            return {[=] { materialize(softmax_of_primitives(x)); }};
          }};
}

/// Reads x and the cotangent, writes y and the gradient: one pass, with rows kept in cache.
Row softmax_gradient(int64_t extent) {
  const Shape shape{extent, extent};
  return {.name = fmt::format("softmax-{}-grad", extent),
          .what = "softmax over rows and its gradient",
          .floor = copy_floor(4 * f32_bytes(shape.numel())),
          .goal = 1 / 1.3,
          .make = [shape]() -> Workload {
            Tensor x = uniform_input(shape, -4, 4);
            const Tensor cotangent = uniform_input(shape);
            x.requires_grad_();
            return {[=] {
              const Tensor y = softmax_of_primitives(x);
              const Tensor outputs[] = {y};
              const Tensor inputs[] = {x};
              materialize(y, grad(outputs, inputs, {.cotangents = {cotangent}})[0]);
            }};
          }};
}

Row layer_norm(std::string name, int64_t rows, int64_t columns) {
  return {.name = std::move(name),
          .what = "layer norm over rows, from primitives",
          .floor = copy_floor(2 * f32_bytes(rows * columns)),
          .goal = 1 / 1.3,
          .make = [=]() -> Workload {
            const Tensor x = uniform_input({rows, columns});
            const Tensor weight = uniform_input({columns});
            const Tensor bias = uniform_input({columns});
            return {[=] { materialize(layer_norm_of_primitives(x, weight, bias)); }};
          }};
}

Row layer_norm_gradient(int64_t extent) {
  const Shape shape{extent, extent};
  return {.name = fmt::format("layer-norm-{}-grad", extent),
          .what = "layer norm over rows and its gradients for x, weight and bias",
          .floor = copy_floor(4 * f32_bytes(shape.numel())),
          .goal = 1 / 1.3,
          .make = [shape]() -> Workload {
            Tensor x = uniform_input(shape);
            Tensor weight = uniform_input({shape[1]});
            Tensor bias = uniform_input({shape[1]});
            const Tensor cotangent = uniform_input(shape);
            for (Tensor* each : {&x, &weight, &bias})
              each->requires_grad_();
            return {[=] {
              const Tensor y = layer_norm_of_primitives(x, weight, bias);
              const Tensor outputs[] = {y};
              const Tensor inputs[] = {x, weight, bias};
              std::vector<Tensor> wanted = grad(outputs, inputs, {.cotangents = {cotangent}});
              wanted.push_back(y);
              materialize(wanted);
            }};
          }};
}

Row sum_over(std::string name, Shape shape, Axes axes) {
  return {.name = std::move(name),
          .what = "sum",
          .floor = read_floor(f32_bytes(shape.numel())),
          .goal = 1 / 1.15,
          .make = [shape, axes]() -> Workload {
            const Tensor x = uniform_input(shape);
            return {[=] { materialize(x.sum(axes)); }};
          }};
}

constexpr int64_t kOuter = 8192;

Row outer_sum_of_vectors() {
  return {.name = "outer-sum-vector",
          .what = "sum(x[:,None]*y[None,:] + z[None,:], -1), N = 8192; floor: the loop by hand",
          .floor = work_floor(),
          .rate = {3e-9 * kOuter * kOuter, "GFLOP"},
          .make = []() -> Workload {
            const Tensor x = uniform_input({kOuter});
            const Tensor y = uniform_input({kOuter});
            const Tensor z = uniform_input({kOuter});
            return {.step =
                        [=] {
                          const Tensor products = unsqueeze(x, 1) * unsqueeze(y, 0);
                          materialize(sum(products + unsqueeze(z, 0), {-1}));
                        },
                    .floor =
                        [=] {
                          static std::vector<float> out(kOuter);
                          outer_sum_by_hand(x.data<float>(), y.data<float>(), z.data<float>(), out);
                        }};
          }};
}

Row outer_sum_with_matrix() {
  return {.name = "outer-sum-matrix",
          .what = "sum(x[:,None]*y[None,:] + Z, -1), N = 8192",
          .floor = read_floor(f32_bytes(kOuter * kOuter)),
          .goal = 1 / 1.15,
          .make = []() -> Workload {
            const Tensor x = uniform_input({kOuter});
            const Tensor y = uniform_input({kOuter});
            const Tensor z = uniform_input({kOuter, kOuter});
            return {[=] { materialize(sum(unsqueeze(x, 1) * unsqueeze(y, 0) + z, {-1})); }};
          }};
}

Row distances() {
  return {.name = "distances-1021x1013x37",
          .what = "squared distances of two sets of points of 37 numbers, each with each",
          .rate = {3e-9 * 1021 * 1013 * 37, "GFLOP"},
          .make = []() -> Workload {
            const Tensor x = uniform_input({1021, 37});
            const Tensor y = uniform_input({1013, 37});
            return {[=] { materialize(sum(square(unsqueeze(x, 1) - unsqueeze(y, 0)), {-1})); }};
          }};
}

}  // namespace

Family reduction_rows() {
  return {"reductions",
          {softmax("softmax-4096", 4096, 4096),
           softmax_gradient(4096),
           on_gpu(softmax("softmax-8192", 8192, 8192)),
           on_gpu(softmax_gradient(8192)),
           softmax("softmax-1000003x10", 1000003, 10),
           softmax("softmax-200003x50", 200003, 50),
           softmax("softmax-509x50257", 509, 50257),
           layer_norm("layer-norm-4096", 4096, 4096),
           layer_norm_gradient(4096),
           on_gpu(layer_norm("layer-norm-8192", 8192, 8192)),
           on_gpu(layer_norm_gradient(8192)),
           layer_norm("layer-norm-100003x100", 100003, 100),
           layer_norm("layer-norm-8191x769", 8191, 769),
           sum_over("sum-all-64m", {8192, 8192}, {}),
           sum_over("sum-axis0-8192", {8192, 8192}, {0}),
           sum_over("sum-axis1-8192", {8192, 8192}, {1}),
           sum_over("sum-axis0-4000037x3", {4000037, 3}, {0}),
           sum_over("sum-axis1-64x1009x257", {64, 1009, 257}, {1}),
           outer_sum_of_vectors(),
           outer_sum_with_matrix(),
           distances()}};
}

}  // namespace wick::bench
