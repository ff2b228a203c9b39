#include "adjoint.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "wick/autograd/functional.h"
#include "wick/tensor/npy.h"

namespace wick::conformance {
namespace {

using Tensors = std::vector<Tensor>;

/// Numbers in (0.5, 1.5) in no simple order.
Tensor direction(const Type& type, int64_t seed) {
  std::vector<double> values(static_cast<size_t>(type.numel()));
  for (size_t i = 0; i < values.size(); ++i)
    values[i] =
        0.5 + static_cast<double>((static_cast<int64_t>(i) * 7919 + seed * 31 + 17) % 101) / 101;
  return cast(from_vector(values, type.shape), type.dtype);
}

Tensors directions(const Tensors& tensors, int64_t seed) {
  Tensors result;
  for (const Tensor& tensor : tensors)
    result.push_back(direction(tensor.type(), ++seed));
  return result;
}

/// <a, b>, and the sum of its terms' sizes.
struct Product {
  double value = 0;
  double size = 0;
};

Product product(const Tensors& a, const Tensors& b) {
  Product product;
  for (size_t i = 0; i < a.size(); ++i) {
    const std::vector<double> x = a[i].to_vector<double>();
    const std::vector<double> y = b[i].to_vector<double>();
    for (size_t j = 0; j < x.size(); ++j) {
      product.value += x[j] * y[j];
      product.size += std::abs(x[j] * y[j]);
    }
  }
  return product;
}

/// Of the roundings that the two passes do differently, a few hundred at most of the size of the
/// terms.
double tolerance_of(const Tensors& outputs) {
  double epsilon = 0x1p-52;
  for (const Tensor& output : outputs) {
    if (output.dtype() == DType::f32) epsilon = std::max(epsilon, 0x1p-23);
    if (output.dtype() == DType::f16) epsilon = std::max(epsilon, 0x1p-10);
  }
  constexpr double kRoundings = 256;
  return kRoundings * epsilon;
}

/// The case as a function of the inputs that have a gradient; its float outputs.
class CaseFunction {
 public:
  CaseFunction(const Case& c, const Entry& entry) : case_(c), entry_(entry) {
    for (size_t i = 0; i < c.inputs.size(); ++i) {
      const Input& input = c.inputs[i];
      Tensor value = input.file.empty() ? Tensor() : load_npy(input.file);
      if (value.defined() && is_float(value.dtype())) value = cast(value, DType::f64);
      all_.push_back(value);
      if (input.gradient.empty()) continue;
      positions_.push_back(i);
      variables_.push_back(value);
    }
  }

  [[nodiscard]] const Tensors& variables() const { return variables_; }

  [[nodiscard]] Tensors operator()(std::span<const Tensor> variables) const {
    Tensors inputs = all_;
    for (size_t i = 0; i < variables.size(); ++i)
      inputs[positions_[i]] = variables[i];
    Tensors outputs = entry_.function(Call(inputs, case_.attributes)).tensors;
    std::erase_if(outputs, [](const Tensor& output) { return !is_float(output.dtype()); });
    return outputs;
  }

 private:
  const Case& case_;
  const Entry& entry_;
  Tensors all_;
  Tensors variables_;
  std::vector<size_t> positions_;  // of the variables
};

}  // namespace

std::optional<std::string> check_adjoint(const Case& c, const Entry& entry) {
  const CaseFunction f(c, entry);
  if (f.variables().empty()) return {};
  const Tensors v = directions(f.variables(), 0);
  const JvpResult forward = jvp(f, f.variables(), v);
  const Tensors u = directions(forward.outputs, 50);
  const VjpResult reverse = vjp(f, f.variables(), u);
  Tensors all = forward.tangents;
  all.insert(all.end(), reverse.gradients.begin(), reverse.gradients.end());
  materialize(all);

  const Product pushed = product(forward.tangents, u);
  const Product pulled = product(v, reverse.gradients);
  if (!std::isfinite(pushed.value) || !std::isfinite(pulled.value)) return {};
  const double allowed = tolerance_of(forward.outputs) * std::max(pushed.size, pulled.size);
  if (std::abs(pushed.value - pulled.value) <= allowed) return {};
  return fmt::format("<jvp(v), u> is {}, <v, vjp(u)> is {}", pushed.value, pulled.value);
}

}  // namespace wick::conformance
