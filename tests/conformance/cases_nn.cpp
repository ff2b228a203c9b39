#include "table.h"

#include "wick/nn/functional/attention.h"
#include "wick/nn/functional/norms.h"

namespace wick::conformance {
namespace {

nn::NormOptions norm_options(const Call& c, size_t first) {
  return {.weight = c[first], .bias = c[first + 1], .eps = c.real("eps", 1e-5)};
}

/// Training takes x, weight and bias, evaluation the running statistics after x.
Tensor batch_norm(const Call& c) {
  if (!c.flag("training")) return nn::batch_norm(c[0], {c[1], c[2]}, norm_options(c, 3));
  return nn::batch_norm_training(c[0], {}, c.real("momentum", 0.1), norm_options(c, 1)).output;
}

Tensor attention(const Call& c) {
  nn::AttentionOptions options{.mask = c[3], .is_causal = c.flag("is_causal")};
  if (c.has("scale")) options.scale = c.real("scale");
  return nn::scaled_dot_product_attention(c[0], c[1], c[2], options);
}

}  // namespace

std::vector<Entry> nn() {
  return {
      {"batch_norm", batch_norm},
      {"group_norm",
       [](const Call& c) {
         return nn::group_norm(c[0], c.integer("num_groups"), norm_options(c, 1));
       }},
      {"instance_norm", [](const Call& c) { return nn::instance_norm(c[0], norm_options(c, 1)); }},
      {"layer_norm",
       [](const Call& c) {
         return nn::layer_norm(c[0], c.shape("normalized_shape"), norm_options(c, 1));
       }},
      {"local_response_norm",
       [](const Call& c) {
         return nn::local_response_norm(c[0],
                                        {.size = c.integer("size"),
                                         .alpha = c.real("alpha", 1e-4),
                                         .beta = c.real("beta", 0.75),
                                         .k = c.real("k", 1)});
       }},
      {"rms_norm",
       [](const Call& c) {
         return nn::rms_norm(c[0], {c[0].size(-1)}, {.weight = c[1], .eps = c.real("eps")});
       }},
      {"scaled_dot_product_attention", attention},
  };
}

}  // namespace wick::conformance
