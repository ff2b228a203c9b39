#include <stdexcept>
#include <string>

#include "table.h"

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

}  // namespace

std::vector<Entry> elementwise() {
  return {{"abs", abs},
          {"add",
           [](const Call& c) {
             return c.has("alpha") ? c[0] + c[1] * c.number("alpha") : c[0] + c[1];
           }},
          {"ceil", ceil},
          {"compose", compose},
          {"cos", cos},
          {"eq", [](const Call& c) { return c[0] == c[1]; }},
          {"erf", erf},
          {"exp", exp},
          {"floor", floor},
          {"ge", [](const Call& c) { return c[0] >= c[1]; }},
          {"gt", [](const Call& c) { return c[0] > c[1]; }},
          {"isnan", isnan},
          {"le", [](const Call& c) { return c[0] <= c[1]; }},
          {"log", log},
          {"lt", [](const Call& c) { return c[0] < c[1]; }},
          {"maximum", maximum},
          {"minimum", minimum},
          {"mul", [](const Call& c) { return c[0] * c[1]; }},
          {"ne", [](const Call& c) { return c[0] != c[1]; }},
          {"neg", [](const Call& c) { return -c[0]; }},
          {"pow",
           [](const Call& c) {
             return c.has("exponent") ? pow(c[0], c.number("exponent")) : pow(c[0], c[1]);
           }},
          {"round", round},
          {"rsqrt", rsqrt},
          {"sign", sign},
          {"sin", sin},
          {"sqrt", sqrt},
          {"square", square},
          {"sub",
           [](const Call& c) {
             return c.has("alpha") ? c[0] - c[1] * c.number("alpha") : c[0] - c[1];
           }},
          {"to", [](const Call& c) { return cast(c[0], c.dtype("dtype")); }},
          {"where", [](const Call& c) { return where(c[0], c[1], c[2]); }}};
}

}  // namespace wick::conformance
