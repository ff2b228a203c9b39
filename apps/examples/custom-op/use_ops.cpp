// Uses the plug-in's ops like built-in ones: values, gradients against finite differences, second
// gradients, errors at the caller's line.

#include <cmath>
#include <cstdio>
#include <exception>
#include <functional>
#include <string>
#include <vector>

#include "wick/passes/plugin.h"
#include "wick/tensor/custom_op.h"
#include "wick/wick.h"

namespace {

using wick::DType;
using wick::Tensor;
using Values = std::vector<double>;

int failures = 0;

void expect(bool holds, const std::string& what) {
  std::printf("%-8s%s\n", holds ? "ok" : "FAILED", what.c_str());
  failures += holds ? 0 : 1;
}

Tensor hypot(const Tensor& x, const Tensor& y) {
  return wick::custom_op("geo.hypot", {x, y}, {{"eps", 1e-6}});
}

Tensor prefix_sum(const Tensor& x) {
  return wick::custom_op("signal.prefix_sum", {x});
}

/// Some function of x that needs both ops.
Tensor loss(const Tensor& x) {
  const Tensor column = wick::slice(x, 1, 0, 1);  // broadcasts against x
  return wick::sum(wick::sin(prefix_sum(hypot(x, column) * 0.5)));
}

/// The largest difference of the gradient of f at x to central differences.
double gradient_error(const std::function<Tensor(const Tensor&)>& f, const Tensor& x) {
  constexpr double kStep = 1e-5;
  Tensor leaf = x;
  leaf.requires_grad_();
  const Values gradient = wick::grad(f(leaf), leaf).to_vector<double>();
  double largest = 0;
  for (int64_t i = 0; i < x.numel(); ++i) {
    const Tensor step =
        wick::reshape(wick::one_hot(wick::full({}, i, DType::i64), x.numel(), DType::f64),
                      x.shape()) *
        kStep;
    const double difference =
        (f(x + step).item<double>() - f(x - step).item<double>()) / (2 * kStep);
    largest = std::max(largest, std::abs(difference - gradient[static_cast<size_t>(i)]));
  }
  return largest;
}

/// The squared length of the gradient of the loss, as a function of x.
Tensor gradient_length(const Tensor& x) {
  Tensor leaf = x;
  if (!leaf.requires_grad()) leaf.requires_grad_();
  return wick::sum(wick::square(wick::grad(loss(leaf), leaf)));
}

void check_values() {
  const Tensor x = wick::tensor({{3, -5}, {0, 8}});
  const Tensor y = wick::tensor({{4, 12}, {2, -6}});
  const std::vector<float> lengths = hypot(x, y).to_vector<float>();
  const std::vector<float> expected = {5, 13, 2, 10};
  bool close = true;
  for (size_t i = 0; i < expected.size(); ++i)
    close = close && std::abs(lengths[i] - expected[i]) < 1e-5F;
  expect(close, "geo.hypot gives the lengths");
  expect(prefix_sum(x).to_vector<float>() == std::vector<float>{3, -2, 0, 8},
         "signal.prefix_sum sums along the last axis");
}

void check_gradients() {
  const Tensor x = wick::tensor({{0.3, -1.2, 0.8}, {1.7, 0.4, -0.6}}).to(DType::f64);
  const double first = gradient_error(loss, x);
  expect(first < 1e-8, "gradients equal finite differences to " + std::to_string(first));
  const double second = gradient_error(gradient_length, x);
  expect(second < 1e-6, "second gradients, to " + std::to_string(second));
}

void check_error() {
  try {
    (void)wick::custom_op("geo.hypo", {wick::tensor({1, 2})});
    expect(false, "an unknown op is an error");
  } catch (const wick::Error& error) {
    expect(std::string(error.what()).find("did you mean geo.hypot?") != std::string::npos,
           error.what());
  }
}

void show_fusion() {
  const Tensor x = wick::ones({1000});
  const std::string plan = wick::explain({wick::exp(hypot(x * 2, x)) + 1});
  expect(plan.find("1 kernels, 0 library calls, 0 interpreted steps") != std::string::npos,
         "geo.hypot and the ops around it are one kernel");
}

}  // namespace

int main(int argc, char** argv) {
  try {
    if (argc > 1) wick::passes::load_plugin(argv[1]);  // WICK_PLUGINS does the same
    check_values();
    check_gradients();
    check_error();
    show_fusion();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "use-ops: error: %s\n", error.what());
    return 1;
  }
  return failures == 0 ? 0 : 1;
}
