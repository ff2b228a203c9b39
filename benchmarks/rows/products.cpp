// Matrix products and convolutions by themselves.

#include <functional>
#include <utility>
#include <vector>

#include "harness/product_timer.h"
#include "harness/row.h"
#include "rows/inputs.h"

namespace wick::bench {

namespace {

constexpr double kGoal = 0.97;

Row product(
    std::string name, std::string what, Floor floor, double goal, const Shape& a, const Shape& b) {
  return {.name = std::move(name),
          .what = std::move(what),
          .floor = floor,
          .goal = goal,
          .make = [=]() -> Workload {
            const Tensor x = uniform_input(a);
            const Tensor y = uniform_input(b);
            return {[=] { materialize(matmul(x, y)); }};
          }};
}

Row product(std::string name, const Shape& a, const Shape& b) {
  return product(std::move(name), "matrix product", products_floor(), kGoal, a, b);
}

/// No product of a library: a kernel reads both and writes the result, of so many elements in all.
Row product_of_kernels(
    std::string name, std::string what, int64_t elements, const Shape& a, const Shape& b) {
  return product(std::move(name), std::move(what), copy_floor(f32_bytes(elements)), 0, a, b);
}

Row linear_gelu(std::string name, int64_t rows, int64_t in, int64_t out) {
  return {.name = std::move(name),
          .what = "gelu(x W^T + b); floor: oneDNN's fastest call for all of it",
          .floor = can_time_products() ? work_floor() : Floor{},
          .goal = can_time_products() ? kGoal : 0,
          .make = [=]() -> Workload {
            const Tensor x = uniform_input({rows, in});
            const Tensor weight = uniform_input({out, in});
            const Tensor bias = uniform_input({out});
            // Until its turn comes, the memory of the process is that of the step alone.
            const auto by_hand = [=, call = std::function<void()>()]() mutable {
              if (!call) call = linear_gelu_by_hand(rows, in, out);
              call();
            };
            return {[=] { materialize(gelu(matmul(x, transpose(weight, 0, 1)) + bias)); }, by_hand};
          }};
}

struct ConvolutionCase {
  std::string name;
  Shape x;
  Shape w;
  ConvOptions options;
};

Row convolution(const ConvolutionCase& c) {
  return {.name = c.name,
          .what = "convolution with bias",
          .floor = products_floor(),
          .make = [c]() -> Workload {
            const Tensor x = uniform_input(c.x);
            const Tensor w = uniform_input(c.w);
            ConvOptions options = c.options;
            options.bias = uniform_input({c.w[0]});
            return {[=] { materialize(conv2d(x, w, options)); }};
          }};
}

Row convolution_gradients(const ConvolutionCase& c) {
  return {.name = c.name + "-grad",
          .what = "convolution with bias and the gradients of all operands",
          .floor = products_floor(),
          .make = [c]() -> Workload {
            Tensor x = uniform_input(c.x);
            Tensor w = uniform_input(c.w);
            Tensor bias = uniform_input({c.w[0]});
            ConvOptions options = c.options;
            options.bias = bias;
            const Tensor cotangent = uniform_input(conv2d(x, w, options).shape());
            for (Tensor* each : {&x, &w, &bias})
              each->requires_grad_();
            options.bias = bias;
            return {[=] {
              const Tensor y = conv2d(x, w, options);
              const Tensor outputs[] = {y};
              const Tensor inputs[] = {x, w, bias};
              std::vector<Tensor> wanted = grad(outputs, inputs, {.cotangents = {cotangent}});
              wanted.push_back(y);
              materialize(wanted);
            }};
          }};
}

}  // namespace

Family product_rows() {
  const ConvolutionCase square{"conv-3x3-64", {16, 64, 56, 56}, {64, 64, 3, 3}, {.padding = {1}}};
  const ConvolutionCase odd{"conv-odd", {5, 3, 217, 211}, {17, 3, 5, 3}, {.stride = {2}}};
  const ConvolutionCase blur{
      "conv-blur-11x11", {1, 3, 509, 511}, {3, 1, 11, 11}, {.padding = {5}, .groups = 3}};
  return {"products",
          {product("matmul-2048", {2048, 2048}, {2048, 2048}),
           product("bmm-32x512x64x512", {32, 512, 64}, {32, 64, 512}),
           linear_gelu("linear-gelu-2048x768x3072", 2048, 768, 3072),
           product("matmul-1021x1031x1033", {1021, 1031}, {1031, 1033}),
           product_of_kernels(
               "matmul-200003x7x5", "points times a matrix", 200003 * 12, {200003, 7}, {7, 5}),
           product("matmul-1x4096x4093",
                   "vector times matrix",
                   read_floor(f32_bytes(4096 * 4093)),
                   1 / 1.15,
                   {1, 4096},
                   {4096, 4093}),
           product("matmul-4099x3x4093", {4099, 3}, {3, 4093}),
           product("matmul-50257x768x1",
                   "matrix times vector",
                   read_floor(f32_bytes(50257 * 768)),
                   0,
                   {50257, 768},
                   {768, 1}),
           product_of_kernels("bmm-60013x4x4x4",
                              "60013 products of 4x4 matrices",
                              60013 * 48,
                              {60013, 4, 4},
                              {60013, 4, 4}),
           linear_gelu("linear-gelu-37x515x129", 37, 515, 129),
           convolution(square),
           convolution_gradients(square),
           convolution(odd),
           convolution_gradients(odd),
           convolution(blur)}};
}

}  // namespace wick::bench
