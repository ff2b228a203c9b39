#include <optional>
#include <stdexcept>
#include <string>

#include "table.h"

#include "wick/autograd/elementary.h"
#include "wick/autograd/special.h"
#include "wick/tensor/ops_arithmetic.h"
#include "wick/tensor/ops_logic.h"
#include "wick/tensor/ops_math.h"

namespace wick::conformance {
namespace {

/// The expressions that the archive composes of several ops.
Tensor compose(const Call& c) {
  const std::string expression = c.text("expr");
  if (expression == "tanh(a*b+c)*sigmoid(a-c)+0.5*b")
    return tanh(c[0] * c[1] + c[2]) * sigmoid(c[0] - c[2]) + 0.5 * c[1];
  if (expression == "log(exp(sum(relu(x@w),0)))")
    return log(exp(sum(relu(matmul(c[0], c[1])), {0})));
  if (expression == "(x-mean(x,-1,keepdim))/sqrt(var(x,-1,biased,keepdim)+1e-5)")
    return (c[0] - mean(c[0], {-1}, true)) / sqrt(var(c[0], {-1}, true, 0) + 1e-5);
  throw std::invalid_argument("no composition " + expression);
}

Rounding rounding_mode(const Call& c) {
  if (!c.has("rounding_mode")) return Rounding::none;
  return c.text("rounding_mode") == "floor" ? Rounding::floor : Rounding::trunc;
}

/// A bound of clamp: a number, a tensor argument, or none.
Tensor bound(const Call& c, const char* name, size_t position) {
  if (c[position].defined()) return c[position];
  if (!c.has(name)) return {};
  const Operand number = c.number(name);
  const DType fraction = number.is_integer ? c[0].dtype() : DType::f32;
  return scalar(number.real, is_float(c[0].dtype()) ? c[0].dtype() : fraction);
}

/// A number as an attribute, or else a tensor argument.
Operand number_or_tensor(const Call& c, const char* name, size_t position) {
  return c.has(name) ? c.number(name) : Operand(c[position]);
}

Tensor logit_of(const Call& c) {
  return logit(c[0], c.has("eps") ? std::optional(c.real("eps")) : std::nullopt);
}

Tensor nan_to_num_of(const Call& c) {
  const auto optional = [&](const char* name) {
    return c.has(name) ? std::optional(c.real(name)) : std::nullopt;
  };
  return nan_to_num(c[0], c.real("nan", 0), optional("posinf"), optional("neginf"));
}

std::vector<Entry> unary() {
  return {{"abs", abs},
          {"acos", acos},
          {"acosh", acosh},
          {"asin", asin},
          {"asinh", asinh},
          {"atan", atan},
          {"atanh", atanh},
          {"bitwise_not", bitwise_not},
          {"ceil", ceil},
          {"cos", cos},
          {"cosh", cosh},
          {"deg2rad", deg2rad},
          {"digamma", digamma},
          {"erf", erf},
          {"erfc", erfc},
          {"erfinv", erfinv},
          {"exp", exp},
          {"exp2", exp2},
          {"expm1", expm1},
          {"floor", floor},
          {"frac", frac},
          {"isfinite", isfinite},
          {"isinf", isinf},
          {"isnan", isnan},
          {"lgamma", lgamma},
          {"log", log},
          {"log10", log10},
          {"log1p", log1p},
          {"log2", log2},
          {"logical_not", logical_not},
          {"logit", logit_of},
          {"nan_to_num", nan_to_num_of},
          {"neg", [](const Call& c) { return -c[0]; }},
          {"rad2deg", rad2deg},
          {"reciprocal", reciprocal},
          {"round",
           [](const Call& c) {
             return c.has("decimals") ? round(c[0], static_cast<int>(c.integer("decimals")))
                                      : round(c[0]);
           }},
          {"rsqrt", rsqrt},
          {"sign", sign},
          {"signbit", signbit},
          {"sin", sin},
          {"sinc", sinc},
          {"sinh", sinh},
          {"sqrt", sqrt},
          {"square", square},
          {"tan", tan},
          {"to", [](const Call& c) { return cast(c[0], c.dtype("dtype")); }},
          {"trunc", trunc}};
}

std::vector<Entry> binary() {
  return {{"atan2", atan2},
          {"bitwise_and", bitwise_and},
          {"bitwise_left_shift", bitwise_left_shift},
          {"bitwise_or", bitwise_or},
          {"bitwise_right_shift", bitwise_right_shift},
          {"bitwise_xor", bitwise_xor},
          {"copysign", copysign},
          {"div", [](const Call& c) { return div(c[0], c[1], rounding_mode(c)); }},
          {"eq", eq},
          {"floor_divide", floor_divide},
          {"fmax", fmax},
          {"fmin", fmin},
          {"fmod", fmod},
          {"ge", ge},
          {"gt", gt},
          {"heaviside", heaviside},
          {"hypot", hypot},
          {"ldexp", ldexp},
          {"le", le},
          {"logaddexp", logaddexp},
          {"logaddexp2", logaddexp2},
          {"logical_and", logical_and},
          {"logical_or", logical_or},
          {"logical_xor", logical_xor},
          {"lt", lt},
          {"maximum", maximum},
          {"minimum", minimum},
          {"mul", [](const Call& c) { return c[0] * c[1]; }},
          {"ne", ne},
          {"nextafter", nextafter},
          {"remainder", remainder},
          {"xlog1py", xlog1py},
          {"xlogy", xlogy}};
}

/// With numbers beside the tensors.
std::vector<Entry> parametrized() {
  return {
      {"add",
       [](const Call& c) { return add(c[0], c[1], c.has("alpha") ? c.number("alpha") : 1); }},
      {"addcdiv",
       [](const Call& c) {
         return addcdiv(c[0], c[1], c[2], c.has("value") ? c.number("value") : 1);
       }},
      {"addcmul",
       [](const Call& c) {
         return addcmul(c[0], c[1], c[2], c.has("value") ? c.number("value") : 1);
       }},
      {"clamp", [](const Call& c) { return clamp(c[0], bound(c, "min", 1), bound(c, "max", 2)); }},
      {"compose", compose},
      {"lerp", [](const Call& c) { return lerp(c[0], c[1], number_or_tensor(c, "weight", 2)); }},
      {"masked_fill",
       [](const Call& c) { return masked_fill(c[0], c[1], number_or_tensor(c, "value", 2)); }},
      {"pow", [](const Call& c) { return pow(c[0], number_or_tensor(c, "exponent", 1)); }},
      {"sub",
       [](const Call& c) { return sub(c[0], c[1], c.has("alpha") ? c.number("alpha") : 1); }},
      {"where", [](const Call& c) { return where(c[0], c[1], c[2]); }}};
}

}  // namespace

std::vector<Entry> elementwise() {
  std::vector<Entry> entries;
  for (const auto& part : {unary(), binary(), parametrized()})
    entries.insert(entries.end(), part.begin(), part.end());
  return entries;
}

}  // namespace wick::conformance
