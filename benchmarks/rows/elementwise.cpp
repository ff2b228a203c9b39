// Chains of elementwise ops: one kernel each, bound by memory or by the arithmetic of functions.

#include <utility>

#include "harness/row.h"
#include "rows/inputs.h"

namespace wick::bench {

namespace {

Row chain(std::string name, int64_t count, double goal) {
  return {.name = std::move(name),
          .what = "tanh(a*b + c) * sigmoid(a - c) + 0.5*b",
          .floor = copy_floor(4 * f32_bytes(count)),
          .goal = goal,
          .make = [count]() -> Workload {
            const Tensor a = uniform_input({count});
            const Tensor b = uniform_input({count});
            const Tensor c = uniform_input({count});
            return {[=] { materialize(tanh(a * b + c) * sigmoid(a - c) + 0.5 * b); }};
          }};
}

Row scale(std::string name, int64_t count) {
  return {.name = std::move(name),
          .what = "2.5 * x",
          .floor = copy_floor(2 * f32_bytes(count)),
          .goal = 1 / 1.1,
          .make = [count]() -> Workload {
            const Tensor x = uniform_input({count});
            return {[=] { materialize(2.5F * x); }};
          }};
}

Row gelu_from_primitives() {
  constexpr int64_t kCount = 16 * kMebi;
  return {.name = "gelu-16m",
          .what = "0.5*x*(1 + tanh(0.7978845608*(x + 0.044715*x*x*x)))",
          .floor = copy_floor(2 * f32_bytes(kCount)),
          .goal = 1 / 1.3,
          .make = []() -> Workload {
            const Tensor x = uniform_input({kCount}, -4, 4);
            return {[=] {
              materialize(0.5 * x * (1 + tanh(0.7978845608 * (x + 0.044715 * x * x * x))));
            }};
          }};
}

Row mandelbrot() {
  constexpr int64_t kPoints = 4 * kMebi;
  constexpr int kIterations = 20;
  return {.name = "mandelbrot-4m",
          .what = "z = z*z + c, 20 times, real and imaginary part",
          .floor = copy_floor(4 * f32_bytes(kPoints)),
          .rate = {7.0 * kIterations * kPoints * 1e-9, "GFLOP"},
          .make = []() -> Workload {
            // Bounded all the way: no infinities, no denormal numbers.
            const Tensor cr = uniform_input({kPoints}, -0.5, 0.2);
            const Tensor ci = uniform_input({kPoints}, -0.4, 0.4);
            return {[=] {
              Tensor zr = zeros({kPoints});
              Tensor zi = zeros({kPoints});
              for (int i = 0; i < kIterations; ++i) {
                const Tensor t = zr * zr - zi * zi + cr;
                zi = 2 * zr * zi + ci;
                zr = t;
              }
              materialize(zr, zi);
            }};
          }};
}

/// Distribution function of the standard normal.
Tensor normal_cdf(const Tensor& x) {
  return 0.5 * (1 + erf(x * 0.7071067811865476));
}

Row black_scholes() {
  constexpr int64_t kOptions = 8 * kMebi;
  return {.name = "black-scholes-8m",
          .what = "prices of calls and puts",
          .floor = copy_floor(5 * f32_bytes(kOptions)),
          .make = []() -> Workload {
            const Tensor s = uniform_input({kOptions}, 5, 30);
            const Tensor k = uniform_input({kOptions}, 1, 100);
            const Tensor t = uniform_input({kOptions}, 0.25, 10);
            constexpr double kRate = 0.02;
            constexpr double kVolatility = 0.3;
            return {[=] {
              const Tensor spread = kVolatility * sqrt(t);
              const Tensor d1 =
                  (log(s / k) + (kRate + 0.5 * kVolatility * kVolatility) * t) / spread;
              const Tensor d2 = d1 - spread;
              const Tensor discounted = k * exp(-kRate * t);
              const Tensor n1 = normal_cdf(d1);
              const Tensor n2 = normal_cdf(d2);
              materialize(s * n1 - discounted * n2, discounted * (1 - n2) - s * (1 - n1));
            }};
          }};
}

Row normalize_images() {
  const Shape images{64, 3, 224, 224};
  return {.name = "normalize-3-channels",
          .what = "(x - mean[c]) / std[c] of images [64,3,224,224]",
          .floor = copy_floor(2 * f32_bytes(images.numel())),
          .goal = 1 / 1.3,
          .make = [images]() -> Workload {
            const Tensor x = uniform_input(images, 0, 1);
            const Tensor mean = uniform_input({3, 1, 1}, 0.4, 0.5);
            const Tensor deviation = uniform_input({3, 1, 1}, 0.2, 0.3);
            return {[=] { materialize((x - mean) / deviation); }};
          }};
}

Row scale_narrow_rows(std::string name, const Shape& shape) {
  return {.name = std::move(name),
          .what = "x * column + row of a matrix of few columns",
          .floor = copy_floor(2 * f32_bytes(shape.numel()) + f32_bytes(shape[0])),
          .goal = 1 / 1.3,
          .make = [shape]() -> Workload {
            const Tensor x = uniform_input(shape);
            const Tensor column = uniform_input({shape[0], 1});
            const Tensor row = uniform_input({shape[1]});
            return {[=] { materialize(x * column + row); }};
          }};
}

Row add_transposed() {
  return {.name = "add-transposed-4099x4093",
          .what = "a + b^T",
          .floor = copy_floor(3 * f32_bytes(4099 * 4093)),
          .goal = 1 / 1.3,
          .make = []() -> Workload {
            const Tensor a = uniform_input({4099, 4093});
            const Tensor b = uniform_input({4093, 4099});
            return {[=] { materialize(a + transpose(b, 0, 1)); }};
          }};
}

Row drop_out() {
  constexpr int64_t kCount = 16 * kMebi;
  return {.name = "dropout-16m",
          .what = "dropout(x, 0.2)",
          .floor = copy_floor(2 * f32_bytes(kCount)),
          .make = []() -> Workload {
            const Tensor x = uniform_input({kCount});
            return {[=] { materialize(dropout(x, 0.2)); }};
          }};
}

/// Each sweep reads the sides and writes the next ones.
Row jacobi() {
  constexpr int64_t kSide = 1501;
  constexpr int kSweeps = 10;
  return {.name = "jacobi-1501",
          .what = "ten sweeps of u = (north + south + west + east + f) / 4 with zeros around",
          .floor = copy_floor(kSweeps * 3 * f32_bytes(kSide * kSide)),
          .make = []() -> Workload {
            const Tensor start = uniform_input({kSide, kSide});
            const Tensor f = uniform_input({kSide, kSide});
            return {[=] {
              Tensor u = start;
              for (int i = 0; i < kSweeps; ++i) {
                const Tensor framed = pad(u, {1, 1}, {1, 1});
                const auto side = [&](int64_t row, int64_t column) {
                  return slice(slice(framed, 0, row, row + kSide), 1, column, column + kSide);
                };
                u = 0.25 * (side(0, 1) + side(2, 1) + side(1, 0) + side(1, 2) + f);
              }
              materialize(u);
            }};
          }};
}

}  // namespace

Family elementwise_rows() {
  return {"elementwise",
          {chain("chain-16m", 16 * kMebi, 1 / 1.3),
           chain("chain-9999991", 9999991, 1 / 1.3),  // a prime
           on_gpu(chain("chain-256m", 256 * kMebi, 1 / 1.3)),
           on_gpu(scale("scale-256m", 256 * kMebi)),
           gelu_from_primitives(),
           mandelbrot(),
           black_scholes(),
           normalize_images(),
           scale_narrow_rows("scale-1999993x7", {1999993, 7}),
           scale_narrow_rows("scale-299993x50", {299993, 50}),
           add_transposed(),
           drop_out(),
           jacobi()}};
}

}  // namespace wick::bench
