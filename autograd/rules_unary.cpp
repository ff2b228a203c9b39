#include <numbers>

#include "wick/autograd/rules.h"

namespace wick::autograd {
namespace {

using ir::OpKind;

Term grad_sqrt(const Step& s) {
  return s.cotangent() * 0.5 / s.output();
}

Term grad_atan(const Step& s) {
  const Term x = s.operand(0);
  return s.cotangent() / (x * x + 1.0);
}

Term grad_tanh(const Step& s) {
  const Term y = s.output();
  return s.cotangent() * (1.0 - y * y);
}

Term grad_erf(const Step& s) {
  const Term x = s.operand(0);
  return s.cotangent() * (exp(-(x * x)) * (2.0 * std::numbers::inv_sqrtpi));
}

Term grad_sigmoid(const Step& s) {
  const Term y = s.output();
  return s.cotangent() * (y * (1.0 - y));
}

Term grad_cast(const Step& s) {
  return cast(s.cotangent(), s.operand(0).dtype());
}

constexpr GradientRow kUnaryRows[] = {
    {OpKind::neg, {[](const Step& s) { return -s.cotangent(); }}},
    {OpKind::abs, {[](const Step& s) { return s.cotangent() * sign(s.operand(0)); }}},
    {OpKind::floor, {}},
    {OpKind::round, {}},
    {OpKind::exp, {[](const Step& s) { return s.cotangent() * s.output(); }}},
    {OpKind::log, {[](const Step& s) { return s.cotangent() / s.operand(0); }}},
    {OpKind::sqrt, {grad_sqrt}},
    {OpKind::sin, {[](const Step& s) { return s.cotangent() * cos(s.operand(0)); }}},
    {OpKind::cos, {[](const Step& s) { return -(s.cotangent() * sin(s.operand(0))); }}},
    {OpKind::atan, {grad_atan}},
    {OpKind::tanh, {grad_tanh}},
    {OpKind::erf, {grad_erf}},
    {OpKind::sigmoid, {grad_sigmoid}},
    {OpKind::logical_not, {}},
    {OpKind::cast, {grad_cast}},
    {OpKind::bitcast, {}},
};

static_assert(covers(kUnaryRows, Family::unary));

}  // namespace

std::span<const GradientRow> unary_rules() {
  return kUnaryRows;
}

}  // namespace wick::autograd
