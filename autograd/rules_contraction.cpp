#include <vector>

#include "wick/autograd/rules.h"

namespace wick::autograd {
namespace {

using ir::OpKind;

/// a b with either operand's last two axes swapped first; never a permute of its own.
Term matmul(const Term& a, const Term& b, bool transpose_a, bool transpose_b) {
  ir::Attributes attributes;
  if (transpose_a) attributes.set("transpose_lhs", true);
  if (transpose_b) attributes.set("transpose_rhs", true);
  return apply(OpKind::matmul, {a, b}, std::move(attributes));
}

bool lhs_swapped(const Step& s) {
  return s.attributes().flag("transpose_lhs");
}

bool rhs_swapped(const Step& s) {
  return s.attributes().flag("transpose_rhs");
}

Term grad_lhs(const Step& s) {
  const Term g = s.cotangent();
  const Term b = s.operand(1);
  const Term gradient =
      lhs_swapped(s) ? matmul(b, g, rhs_swapped(s), true) : matmul(g, b, false, !rhs_swapped(s));
  return sum_to(gradient, s.operand(0).shape());
}

/// [..., m, n] as one matrix of all rows.
Term all_rows(const Term& x) {
  const int64_t columns = x.shape()[x.shape().ndim() - 1];
  return reshape(x, Shape{columns == 0 ? 0 : x.tensor.numel() / columns, columns});
}

/// One weight for a whole batch: a single product over all rows, instead of one a batch element
/// and their sum.
bool is_shared_rhs(const Step& s) {
  const Shape& a = s.operand(0).shape();
  const Shape& b = s.operand(1).shape();
  return a.ndim() > 2 && b.ndim() == 2 && !lhs_swapped(s) && a.numel() != 0;
}

Term grad_rhs(const Step& s) {
  const bool flat = is_shared_rhs(s);
  const Term g = flat ? all_rows(s.cotangent()) : s.cotangent();
  const Term a = flat ? all_rows(s.operand(0)) : s.operand(0);
  const Term gradient =
      rhs_swapped(s) ? matmul(g, a, true, lhs_swapped(s)) : matmul(a, g, !lhs_swapped(s), false);
  return sum_to(gradient, s.operand(1).shape());
}

/// A convolution and its two gradients share stride, padding, dilation and groups; each is linear
/// in both operands, so the gradients of one are the other two.
ir::Attributes window(const Step& s) {
  ir::Attributes attributes = s.attributes();
  attributes.erase("input_shape");
  attributes.erase("weight_shape");
  return attributes;
}

Term convolve(const Step& s, const Term& x, const Term& w) {
  return apply(OpKind::conv, {x, w}, window(s));
}

Term input_grad(const Step& s, const Term& cotangent, const Term& w, const Shape& input) {
  ir::Attributes attributes = window(s);
  attributes.set("input_shape", Axes(input.begin(), input.end()));
  return apply(OpKind::conv_input_grad, {cotangent, w}, std::move(attributes));
}

Term weight_grad(const Step& s, const Term& x, const Term& cotangent, const Shape& weight) {
  ir::Attributes attributes = window(s);
  attributes.set("weight_shape", Axes(weight.begin(), weight.end()));
  return apply(OpKind::conv_weight_grad, {x, cotangent}, std::move(attributes));
}

Term conv_x(const Step& s) {
  return input_grad(s, s.cotangent(), s.operand(1), s.operand(0).shape());
}

Term conv_w(const Step& s) {
  return weight_grad(s, s.operand(0), s.cotangent(), s.operand(1).shape());
}

Term input_grad_cotangent(const Step& s) {
  return convolve(s, s.cotangent(), s.operand(1));
}

Term input_grad_w(const Step& s) {
  return weight_grad(s, s.cotangent(), s.operand(0), s.operand(1).shape());
}

Term weight_grad_x(const Step& s) {
  return input_grad(s, s.operand(1), s.cotangent(), s.operand(0).shape());
}

Term weight_grad_cotangent(const Step& s) {
  return convolve(s, s.operand(0), s.cotangent());
}

constexpr GradientRow kContractionRows[] = {
    {OpKind::matmul, {grad_lhs, grad_rhs}},
    {OpKind::conv, {conv_x, conv_w}},
    {OpKind::conv_input_grad, {input_grad_cotangent, input_grad_w}},
    {OpKind::conv_weight_grad, {weight_grad_x, weight_grad_cotangent}},
};

static_assert(covers(kContractionRows, Family::contraction));

}  // namespace

std::span<const GradientRow> contraction_rules() {
  return kContractionRows;
}

}  // namespace wick::autograd
