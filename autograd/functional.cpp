#include "wick/autograd/functional.h"

#include <numeric>
#include <string_view>

#include <fmt/format.h>

#include "wick/autograd/autograd.h"
#include "wick/autograd/pullback.h"
#include "wick/autograd/variable.h"
#include "wick/ir/error.h"
#include "wick/tensor/ops.h"

namespace wick {
namespace {

using autograd::Pullback;
using autograd::variable;
using Tensors = std::vector<Tensor>;
using Where = std::source_location;

int64_t num_elements(std::span<const Tensor> tensors) {
  return std::accumulate(
      tensors.begin(), tensors.end(), int64_t{0}, [](int64_t sum, const Tensor& t) {
        return sum + t.numel();
      });
}

/// A function recorded once on variables, ready for passes in both directions.
class Linearization {
 public:
  Linearization(const TensorsFunction& f,
                std::span<const Tensor> inputs,
                std::string_view op,
                Where where)
      : op_(op),
        where_(where),
        is_recording_(detail::grad_mode()) {
    for (size_t i = 0; i < inputs.size(); ++i) {
      check_input(inputs[i], i);
      inputs_require_grad_ |= inputs[i].requires_grad();
      variables_.push_back(variable(inputs[i], where));
    }
    const EnableGradGuard guard;
    outputs_ = f(variables_);
    for (size_t i = 0; i < outputs_.size(); ++i) {
      if (!outputs_[i].defined()) fail(fmt::format("output {} is undefined", i));
    }
  }

  [[nodiscard]] const Tensors& inputs() const { return variables_; }

  [[nodiscard]] const Tensors& outputs() const { return outputs_; }

  /// `given` has the types of `tensors`, or is undefined where `may_lack` allows it.
  void check_fits(std::span<const Tensor> given,
                  std::span<const Tensor> tensors,
                  std::string_view what,
                  bool may_lack) const {
    if (given.size() != tensors.size()) {
      const std::string_view of = what == "tangent" ? "input" : "output";
      fail(fmt::format("{} {}s for {} {}s", given.size(), what, tensors.size(), of));
    }
    for (size_t i = 0; i < given.size(); ++i) {
      if (!given[i].defined()) {
        if (may_lack) continue;
        fail(fmt::format("{} {} is undefined", what, i));
      }
      if (given[i].type() == tensors[i].type()) continue;
      constexpr auto kText = "{} {} should be {}, it is {}";
      const std::string expected = to_string(tensors[i].type());
      fail(fmt::format(kText, what, i, expected, to_string(given[i].type())));
    }
  }

  [[nodiscard]] Pullback backward() const { return Pullback({outputs_, variables_, op_, where_}); }

  /// From tangents to those of the outputs: the transpose of the backward pass, which is linear in
  /// the cotangents, whatever their values.
  [[nodiscard]] Pullback forward() const {
    Tensors cotangents;
    for (const Tensor& output : outputs_) {
      const Tensor zero = zeros(output.shape(), output.dtype(), where_);
      cotangents.push_back(output.requires_grad() ? variable(zero, where_) : zero);
    }
    const Tensors gradients = backward().gradients(cotangents);
    return Pullback({gradients, cotangents, op_, where_});
  }

  /// What the caller gets: without history, if all of it led to the variables.
  void finish(std::span<Tensor* const> results) const {
    Tensors tensors;
    for (Tensor* const result : results)
      tensors.push_back(*result);
    if (is_recording_ && (inputs_require_grad_ || depend_on_others(tensors))) return;
    for (Tensor* const result : results)
      if (result->requires_grad()) *result = result->detach();
  }

  void finish(Tensors& first, Tensors& second) const {
    std::vector<Tensor*> all;
    for (Tensor& tensor : first)
      all.push_back(&tensor);
    for (Tensor& tensor : second)
      all.push_back(&tensor);
    finish(all);
  }

  [[noreturn]] void fail(const std::string& text) const { throw Error(where_, op_, text); }

 private:
  void check_input(const Tensor& input, size_t position) const {
    if (!input.defined()) fail(fmt::format("input {} is undefined", position));
    if (is_float(input.dtype())) return;
    fail(fmt::format("input {} {} is of no float dtype", position, to_string(input.type())));
  }

  [[nodiscard]] bool depend_on_others(const Tensors& tensors) const {
    return !autograd::other_sources(tensors, variables_, where_).empty();
  }

  std::string_view op_;
  Where where_;
  bool is_recording_;
  bool inputs_require_grad_ = false;
  Tensors variables_;
  Tensors outputs_;
};

TensorsFunction of_several(const TensorFunction& f) {
  return [&f](std::span<const Tensor> x) { return Tensors{f(x[0])}; };
}

/// 1 at one of the tensors' elements, counted through all of them; undefined for the others.
Tensors unit(std::span<const Tensor> tensors, int64_t element, Where where) {
  Tensors result(tensors.size());
  for (size_t i = 0; i < tensors.size(); ++i) {
    const Tensor& tensor = tensors[i];
    if (element < tensor.numel()) {
      const Tensor position = scalar(static_cast<double>(element), DType::i64, where);
      const Tensor row = one_hot(position, tensor.numel(), tensor.dtype(), where);
      result[i] = reshape(row, tensor.shape(), where);
      return result;
    }
    element -= tensor.numel();
  }
  return result;
}

/// One block of a Jacobian, from its rows, each of the shape of a column.
Tensor block_of(std::span<const Tensors> rows, size_t column, const Tensor& like, Where where) {
  if (rows.empty()) return zeros({0, like.numel()}, like.dtype(), where);
  Tensors flat;
  for (const Tensors& row : rows)
    flat.push_back(reshape(row[column], {1, like.numel()}, where));
  return concat(flat, 0, where);
}

Shape joined(const Shape& a, const Shape& b) {
  Axes extents(a.begin(), a.end());
  extents.insert(extents.end(), b.begin(), b.end());
  return Shape(extents);
}

/// All blocks, by passes from the side with fewer elements.
std::vector<Tensors> blocks_of(const Linearization& at, Where where) {
  const bool is_reverse = num_elements(at.outputs()) <= num_elements(at.inputs());
  const Tensors& from = is_reverse ? at.outputs() : at.inputs();
  const Tensors& to = is_reverse ? at.inputs() : at.outputs();
  const Pullback pass = is_reverse ? at.backward() : at.forward();
  std::vector<Tensors> rows;
  for (int64_t i = 0; i < num_elements(from); ++i)
    rows.push_back(pass.gradients(unit(from, i, where)));
  std::vector<Tensors> blocks(at.outputs().size(), Tensors(at.inputs().size()));
  size_t first = 0;
  for (size_t i = 0; i < from.size(); ++i) {
    const auto count = static_cast<size_t>(from[i].numel());
    for (size_t j = 0; j < to.size(); ++j) {
      const Tensor block = block_of(std::span(rows).subspan(first, count), j, to[j], where);
      if (is_reverse) {
        blocks[i][j] = reshape(block, joined(from[i].shape(), to[j].shape()), where);
      } else {
        const Shape shape = joined(to[j].shape(), from[i].shape());
        blocks[j][i] = reshape(transpose(block, 0, 1, where), shape, where);
      }
    }
    first += count;
  }
  return blocks;
}

/// The gradient as a function.
TensorFunction gradient_of(const TensorFunction& f, std::string_view op, Where where) {
  return [&f, op, where](const Tensor& x) {
    const Linearization at(of_several(f), {&x, 1}, op, where);
    const Tensor& y = at.outputs()[0];
    if (y.numel() != 1) {
      at.fail(fmt::format("the function's result should be one element, it is {}",
                          to_string(y.type())));
    }
    const EnableGradGuard guard;
    const Tensor one = ones(y.shape(), y.dtype(), where);
    return at.backward().gradients({&one, 1})[0];
  };
}

std::vector<Tensors> jacobian_of(const TensorsFunction& f,
                                 std::span<const Tensor> inputs,
                                 std::string_view op,
                                 Where where) {
  const Linearization at(f, inputs, op, where);
  const EnableGradGuard guard;
  std::vector<Tensors> blocks = blocks_of(at, where);
  std::vector<Tensor*> results;
  for (Tensors& row : blocks) {
    for (Tensor& block : row)
      results.push_back(&block);
  }
  at.finish(results);
  return blocks;
}

JvpResult push_forward(const TensorsFunction& f,
                       std::span<const Tensor> inputs,
                       std::span<const Tensor> tangents,
                       std::string_view op,
                       Where where) {
  const Linearization at(f, inputs, op, where);
  at.check_fits(tangents, at.inputs(), "tangent", false);
  const EnableGradGuard guard;
  JvpResult result{at.outputs(), at.forward().gradients(tangents)};
  at.finish(result.outputs, result.tangents);
  return result;
}

}  // namespace

VjpResult vjp(const TensorsFunction& f,
              std::span<const Tensor> inputs,
              std::span<const Tensor> cotangents,
              Where where) {
  const Linearization at(f, inputs, "vjp", where);
  at.check_fits(cotangents, at.outputs(), "cotangent", true);
  const EnableGradGuard guard;
  VjpResult result{at.outputs(), at.backward().gradients(cotangents)};
  at.finish(result.outputs, result.gradients);
  return result;
}

std::pair<Tensor, Tensor> vjp(const TensorFunction& f,
                              const Tensor& x,
                              const Tensor& cotangent,
                              Where where) {
  const VjpResult result = vjp(of_several(f), {&x, 1}, {&cotangent, 1}, where);
  return {result.outputs[0], result.gradients[0]};
}

JvpResult jvp(const TensorsFunction& f,
              std::span<const Tensor> inputs,
              std::span<const Tensor> tangents,
              Where where) {
  return push_forward(f, inputs, tangents, "jvp", where);
}

std::pair<Tensor, Tensor> jvp(const TensorFunction& f,
                              const Tensor& x,
                              const Tensor& tangent,
                              Where where) {
  const JvpResult result = jvp(of_several(f), {&x, 1}, {&tangent, 1}, where);
  return {result.outputs[0], result.tangents[0]};
}

std::vector<Tensors> jacobian(const TensorsFunction& f,
                              std::span<const Tensor> inputs,
                              Where where) {
  return jacobian_of(f, inputs, "jacobian", where);
}

Tensor jacobian(const TensorFunction& f, const Tensor& x, Where where) {
  return jacobian(of_several(f), {&x, 1}, where)[0][0];
}

Tensor hessian(const TensorFunction& f, const Tensor& x, Where where) {
  const TensorFunction gradient = gradient_of(f, "hessian", where);
  return jacobian_of(of_several(gradient), {&x, 1}, "hessian", where)[0][0];
}

Tensor hvp(const TensorFunction& f, const Tensor& x, const Tensor& tangent, Where where) {
  const TensorFunction gradient = gradient_of(f, "hvp", where);
  return push_forward(of_several(gradient), {&x, 1}, {&tangent, 1}, "hvp", where).tangents[0];
}

}  // namespace wick
