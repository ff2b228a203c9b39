#include "table.h"

#include "wick/autograd/activation.h"
#include "wick/tensor/ops_activation.h"

namespace wick::conformance {

std::vector<Entry> activations() {
  return {
      {"celu", [](const Call& c) { return celu(c[0], c.real("alpha", 1)); }},
      {"elu", [](const Call& c) { return elu(c[0], c.real("alpha", 1)); }},
      {"gelu",
       [](const Call& c) {
         return c.text("approximate", "none") == "tanh" ? gelu_tanh(c[0]) : gelu(c[0]);
       }},
      {"glu", [](const Call& c) { return glu(c[0], c.axis("dim", -1)); }},
      {"hardshrink", [](const Call& c) { return hardshrink(c[0], c.real("lambd", 0.5)); }},
      {"hardsigmoid", hardsigmoid},
      {"hardswish", hardswish},
      {"hardtanh",
       [](const Call& c) { return hardtanh(c[0], c.real("min_val", -1), c.real("max_val", 1)); }},
      {"leaky_relu",
       [](const Call& c) { return leaky_relu(c[0], c.real("negative_slope", 0.01)); }},
      {"log_softmax", [](const Call& c) { return log_softmax(c[0], c.axis()); }},
      {"logsigmoid", logsigmoid},
      {"mish", mish},
      {"prelu", [](const Call& c) { return prelu(c[0], c[1]); }},
      {"relu", relu},
      {"relu6", relu6},
      {"selu", selu},
      {"sigmoid", sigmoid},
      {"silu", silu},
      {"softmax", [](const Call& c) { return softmax(c[0], c.axis()); }},
      {"softmin", [](const Call& c) { return softmin(c[0], c.axis()); }},
      {"softplus",
       [](const Call& c) { return softplus(c[0], c.real("beta", 1), c.real("threshold", 20)); }},
      {"softshrink", [](const Call& c) { return softshrink(c[0], c.real("lambd", 0.5)); }},
      {"softsign", softsign},
      {"tanh", tanh},
      {"tanhshrink", tanhshrink},
      {"threshold",
       [](const Call& c) { return threshold(c[0], c.real("threshold"), c.real("value")); }}};
}

}  // namespace wick::conformance
