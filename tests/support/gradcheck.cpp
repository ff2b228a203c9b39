#include "gradcheck.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "wick/autograd/autograd.h"

namespace wick::testing_support {
namespace {

std::vector<Tensor> leaves(const std::vector<Tensor>& inputs) {
  std::vector<Tensor> result;
  for (const Tensor& input : inputs) {
    Tensor leaf = input.detach();
    leaf.requires_grad_();
    result.push_back(leaf);
  }
  return result;
}

/// The function made a scalar by weights that tell its elements apart.
Tensor weighted(const TensorFunction& f, std::span<const Tensor> inputs) {
  const Tensor y = f(inputs);
  return sum(y * spread(y.shape(), 0.5, 1.5, 99));
}

double value_with(const TensorFunction& f,
                  const std::vector<Tensor>& inputs,
                  size_t which,
                  const std::vector<double>& changed) {
  std::vector<Tensor> copy = leaves(inputs);
  copy[which] = from_vector(changed, inputs[which].shape());
  copy[which].requires_grad_();
  return weighted(f, copy).item<double>();
}

}  // namespace

Tensor spread(const Shape& shape, double low, double high, unsigned seed) {
  const auto count = static_cast<size_t>(shape.numel());
  std::vector<double> values(count);
  std::iota(values.begin(), values.end(), 0.5);
  std::mt19937_64 random(seed);
  for (size_t i = count; i > 1; --i)
    std::swap(values[i - 1], values[random() % i]);
  const double width = (high - low) / static_cast<double>(std::max<size_t>(count, 1));
  // Off the exact grid, lest values of a symmetric range meet 0.
  const double shift = 0.2371 * width;
  for (double& value : values)
    value = low + value * width + shift;
  return from_vector(values, shape);
}

::testing::AssertionResult gradients_match(const TensorFunction& f,
                                           const std::vector<Tensor>& inputs,
                                           const GradcheckOptions& options) {
  const std::vector<Tensor> x = leaves(inputs);
  const Tensor scalar = weighted(f, x);
  const std::vector<Tensor> gradients = grad({&scalar, 1}, x);
  for (size_t which = 0; which < inputs.size(); ++which) {
    if (gradients[which].type() != inputs[which].type()) {
      return ::testing::AssertionFailure()
             << "gradient of input " << which << " is " << to_string(gradients[which].type());
    }
    const std::vector<double> computed = gradients[which].to_vector<double>();
    std::vector<double> values = inputs[which].to_vector<double>();
    for (size_t i = 0; i < values.size(); ++i) {
      const double middle = values[i];
      values[i] = middle + options.step;
      const double above = value_with(f, inputs, which, values);
      values[i] = middle - options.step;
      const double below = value_with(f, inputs, which, values);
      values[i] = middle;
      const double expected = (above - below) / (2 * options.step);
      const double allowed = options.tolerance * std::max(1.0, std::abs(expected));
      if (std::abs(computed[i] - expected) <= allowed) continue;
      return ::testing::AssertionFailure()
             << "input " << which << " of type " << to_string(inputs[which].type()) << ", element "
             << i << " = " << middle << ": gradient " << computed[i] << ", difference " << expected;
    }
  }
  return ::testing::AssertionSuccess();
}

::testing::AssertionResult second_gradients_match(const TensorFunction& f,
                                                  const std::vector<Tensor>& inputs,
                                                  const GradcheckOptions& options) {
  const TensorFunction first = [&f](std::span<const Tensor> x) {
    const Tensor scalar = weighted(f, x);
    std::vector<Tensor> flat;
    for (const Tensor& gradient : grad({&scalar, 1}, x))
      flat.push_back(reshape(gradient, {-1}));
    return concat(flat, 0);
  };
  return gradients_match(first, inputs, options);
}

}  // namespace wick::testing_support
