// Updates of parameters: what is read and written once by a perfect program.

#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "harness/row.h"
#include "rows/inputs.h"

namespace wick::bench {

namespace {

/// Reads parameter, gradient and two moments; writes all but the gradient.
constexpr double kAdamArrays = 7;

/// Parameters whose gradients are given.
struct Parameters {
  std::vector<nn::Parameter> values;
  std::vector<Tensor> gradients;

  /// d sum(p * g) / dp = g: nothing else is computed, for nobody holds the sums.
  void backward() const {
    for (size_t i = 0; i < values.size(); ++i)
      sum(values[i].value() * gradients[i]).backward();
  }
};

Row adam(std::string name, std::string what, const std::vector<Shape>& shapes) {
  int64_t count = 0;
  for (const Shape& shape : shapes)
    count += shape.numel();
  return {.name = std::move(name),
          .what = std::move(what),
          .floor = copy_floor(kAdamArrays * f32_bytes(count)),
          .goal = 1 / 1.15,
          .make = [shapes]() -> Workload {
            Parameters parameters;
            for (const Shape& shape : shapes) {
              parameters.values.emplace_back(uniform_input(shape));
              parameters.gradients.push_back(uniform_input(shape));
            }
            const auto optimizer = std::make_shared<optim::Adam>(parameters.values);
            return {[=] {
              optimizer->zero_grad();
              parameters.backward();
              optimizer->step();
            }};
          }};
}

/// The update written out, with its numbers of the step made on the host.
class AdamByHand {
 public:
  explicit AdamByHand(int64_t count)
      : p_(uniform_input({count})),
        g_(uniform_input({count})),
        m_(zeros_input({count})),
        v_(zeros_input({count})) {}

  void step() {
    constexpr double kBeta1 = 0.9;
    constexpr double kBeta2 = 0.999;
    ++steps_;
    const double c1 = 1 - std::pow(kBeta1, steps_);
    const double c2 = 1 - std::pow(kBeta2, steps_);
    m_ = kBeta1 * m_ + (1 - kBeta1) * g_;
    v_ = kBeta2 * v_ + (1 - kBeta2) * g_ * g_;
    p_ = p_ - 1e-3 * (m_ / c1) / (sqrt(v_ / c2) + 1e-8);
    materialize(p_, m_, v_);
  }

 private:
  Tensor p_;
  Tensor g_;
  Tensor m_;
  Tensor v_;
  int steps_ = 0;
};

Row adam_by_hand() {
  return {.name = "adam-16m-primitives",
          .what = "Adam from primitives",
          .floor = copy_floor(kAdamArrays * f32_bytes(16 * kMebi)),
          .goal = 1 / 1.15,
          .make = []() -> Workload {
            const auto adam = std::make_shared<AdamByHand>(16 * kMebi);
            return {[=] { adam->step(); }};
          }};
}

/// As in a small network: matrices, vectors, a scalar, none a multiple of a vector's lanes.
std::vector<Shape> odd_shapes() {
  std::vector<Shape> shapes;
  for (int64_t i = 0; i < 20; ++i) {
    shapes.push_back({257 + i, 509});
    shapes.push_back({509});
    shapes.push_back({});
  }
  return shapes;
}

}  // namespace

Family optimizer_rows() {
  return {"optimizers",
          {adam_by_hand(),
           adam("adam-16m", "optim::Adam, one tensor", {Shape{16 * kMebi}}),
           adam("adam-16m-in-200",
                "optim::Adam, 200 tensors",
                std::vector<Shape>(200, Shape{16 * kMebi / 200})),
           adam("adam-60-odd", "optim::Adam, 60 tensors of odd shapes", odd_shapes())}};
}

}  // namespace wick::bench
