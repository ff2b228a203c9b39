#include "wick/autograd/rules.h"

namespace wick::autograd {
namespace {

using ir::OpKind;

Term pass(const Step& s) {
  return s.cotangent();
}

Term grad_divisor(const Step& s) {
  return -(s.cotangent() * s.output() / s.operand(1));
}

/// x % y = x - floor(x / y) * y.
Term grad_rem_divisor(const Step& s) {
  return -(s.cotangent() * floor(s.operand(0) / s.operand(1)));
}

/// y x^(y-1), and 0 at y = 0 where x = 0 would make it 0 * inf. The inner select keeps the
/// infinity out of gradients of this gradient too.
Term grad_pow_base(const Step& s) {
  const Term x = s.operand(0);
  const Term y = s.operand(1);
  const Term is_zero = equal(y, 0.0);
  const Term power = pow(x, select(is_zero, 1.0, y - 1.0));
  return s.cotangent() * select(is_zero, 0.0, y * power);
}

/// x^y log x, continued by 0 to x = 0 where y >= 0.
Term grad_pow_exponent(const Step& s) {
  const Term x = s.operand(0);
  const Term flat = both(equal(x, 0.0), greater_equal(s.operand(1), 0.0));
  return s.cotangent() * select(flat, 0.0, s.output() * log(select(flat, 1.0, x)));
}

/// The winner takes the cotangent, equals share it, both get it beside a NaN.
Term grad_of_winner(const Step& s, const Term& loses) {
  const Term g = s.cotangent();
  const Term ties = equal(s.operand(0), s.operand(1));
  return select(ties, g * 0.5, select(loses, 0.0, g));
}

Term grad_maximum(const Step& s) {
  return grad_of_winner(s, less(s.operand(s.index), s.operand(1 - s.index)));
}

Term grad_minimum(const Step& s) {
  return grad_of_winner(s, less(s.operand(1 - s.index), s.operand(s.index)));
}

Term times_operand_1(const Step& s) {
  return s.cotangent() * s.operand(1);
}

Term times_operand_0(const Step& s) {
  return s.cotangent() * s.operand(0);
}

Term over_operand_1(const Step& s) {
  return s.cotangent() / s.operand(1);
}

constexpr GradientRow kBinaryRows[] = {
    {OpKind::add, {pass, pass}},
    {OpKind::sub, {pass, [](const Step& s) { return -s.cotangent(); }}},
    {OpKind::mul, {times_operand_1, times_operand_0}},
    {OpKind::div, {over_operand_1, grad_divisor}},
    {OpKind::rem, {pass, grad_rem_divisor}},
    {OpKind::pow, {grad_pow_base, grad_pow_exponent}},
    {OpKind::maximum, {grad_maximum, grad_maximum}},
    {OpKind::minimum, {grad_minimum, grad_minimum}},
    {OpKind::eq, {}},
    {OpKind::ne, {}},
    {OpKind::lt, {}},
    {OpKind::le, {}},
    {OpKind::bit_and, {}},
    {OpKind::bit_or, {}},
    {OpKind::bit_xor, {}},
    {OpKind::shift_left, {}},
    {OpKind::shift_right, {}},
    {OpKind::where,
     {nullptr,
      [](const Step& s) { return select(s.operand(0), s.cotangent(), 0.0); },
      [](const Step& s) { return select(s.operand(0), 0.0, s.cotangent()); }}},
};

static_assert(covers(kBinaryRows, Family::binary));

}  // namespace

std::span<const GradientRow> binary_rules() {
  return kBinaryRows;
}

}  // namespace wick::autograd
