#include "table.h"

#include "wick/nn/functional/attention.h"
#include "wick/nn/functional/norms.h"
#include "wick/tensor/ops_conv.h"
#include "wick/tensor/ops_interpolate.h"
#include "wick/tensor/ops_pool.h"

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

/// A number or a list of them.
Axes numbers(const Call& c, const char* name, int64_t fallback) {
  return c.has(name) ? c.axes(name) : Axes{fallback};
}

ConvOptions conv_options(const Call& c) {
  ConvOptions options{.stride = numbers(c, "stride", 1),
                      .dilation = numbers(c, "dilation", 1),
                      .groups = c.integer("groups", 1),
                      .bias = c[2]};
  const std::string padding = c.is_text("padding") ? c.text("padding") : "";
  options.same_padding = padding == "same";
  if (padding.empty()) options.padding = numbers(c, "padding", 0);
  return options;
}

ConvTransposeOptions transpose_options(const Call& c) {
  return {.stride = numbers(c, "stride", 1),
          .padding = numbers(c, "padding", 0),
          .output_padding = numbers(c, "output_padding", 0),
          .dilation = numbers(c, "dilation", 1),
          .groups = c.integer("groups", 1),
          .bias = c[2]};
}

UnfoldOptions unfold_options(const Call& c) {
  return {.kernel = c.axes("kernel_size"),
          .stride = numbers(c, "stride", 1),
          .padding = numbers(c, "padding", 0),
          .dilation = numbers(c, "dilation", 1)};
}

MaxPoolOptions max_options(const Call& c) {
  return {.kernel = c.axes("kernel_size"),
          .stride = c.axes("stride"),
          .padding = numbers(c, "padding", 0),
          .dilation = numbers(c, "dilation", 1),
          .ceil_mode = c.flag("ceil_mode")};
}

AvgPoolOptions avg_options(const Call& c) {
  AvgPoolOptions options{.kernel = c.axes("kernel_size"),
                         .stride = c.axes("stride"),
                         .padding = numbers(c, "padding", 0),
                         .ceil_mode = c.flag("ceil_mode"),
                         .count_include_pad = c.flag("count_include_pad", true)};
  if (c.has("divisor_override")) options.divisor_override = c.integer("divisor_override");
  return options;
}

Tensor interpolated(const Call& c) {
  const std::string mode = c.text("mode", "nearest");
  InterpolateOptions options{.size = c.axes("size"), .align_corners = c.flag("align_corners")};
  if (c.has("scale_factor")) options.scale_factor = {c.real("scale_factor")};
  if (mode == "nearest-exact") options.mode = Interpolation::nearest_exact;
  if (mode.ends_with("linear")) options.mode = Interpolation::linear;
  if (mode == "bicubic") options.mode = Interpolation::cubic;
  if (mode == "area") options.mode = Interpolation::area;
  return interpolate(c[0], options);
}

}  // namespace

std::vector<Entry> nn() {
  return {
      {"adaptive_avg_pool1d",
       [](const Call& c) { return adaptive_avg_pool1d(c[0], c.axes("output_size")); }},
      {"adaptive_avg_pool2d",
       [](const Call& c) { return adaptive_avg_pool2d(c[0], c.axes("output_size")); }},
      {"adaptive_avg_pool3d",
       [](const Call& c) { return adaptive_avg_pool3d(c[0], c.axes("output_size")); }},
      {"adaptive_max_pool1d",
       [](const Call& c) { return adaptive_max_pool1d(c[0], c.axes("output_size")).values; }},
      {"adaptive_max_pool2d",
       [](const Call& c) { return adaptive_max_pool2d(c[0], c.axes("output_size")).values; }},
      {"adaptive_max_pool3d",
       [](const Call& c) { return adaptive_max_pool3d(c[0], c.axes("output_size")).values; }},
      {"avg_pool1d", [](const Call& c) { return avg_pool1d(c[0], avg_options(c)); }},
      {"avg_pool2d", [](const Call& c) { return avg_pool2d(c[0], avg_options(c)); }},
      {"avg_pool3d", [](const Call& c) { return avg_pool3d(c[0], avg_options(c)); }},
      {"batch_norm", batch_norm},
      {"conv1d", [](const Call& c) { return conv1d(c[0], c[1], conv_options(c)); }},
      {"conv2d", [](const Call& c) { return conv2d(c[0], c[1], conv_options(c)); }},
      {"conv3d", [](const Call& c) { return conv3d(c[0], c[1], conv_options(c)); }},
      {"conv_transpose1d",
       [](const Call& c) { return conv_transpose1d(c[0], c[1], transpose_options(c)); }},
      {"conv_transpose2d",
       [](const Call& c) { return conv_transpose2d(c[0], c[1], transpose_options(c)); }},
      {"conv_transpose3d",
       [](const Call& c) { return conv_transpose3d(c[0], c[1], transpose_options(c)); }},
      {"fold", [](const Call& c) { return fold(c[0], c.axes("output_size"), unfold_options(c)); }},
      {"group_norm",
       [](const Call& c) {
         return nn::group_norm(c[0], c.integer("num_groups"), norm_options(c, 1));
       }},
      {"instance_norm", [](const Call& c) { return nn::instance_norm(c[0], norm_options(c, 1)); }},
      {"interpolate", interpolated},
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
      {"lp_pool2d",
       [](const Call& c) {
         return lp_pool2d(c[0],
                          {.p = c.real("norm_type"),
                           .kernel = c.axes("kernel_size"),
                           .stride = c.axes("stride"),
                           .ceil_mode = c.flag("ceil_mode")});
       }},
      {"max_pool1d", [](const Call& c) { return max_pool1d(c[0], max_options(c)); }},
      {"max_pool2d", [](const Call& c) { return max_pool2d(c[0], max_options(c)); }},
      {"max_pool3d", [](const Call& c) { return max_pool3d(c[0], max_options(c)); }},
      {"rms_norm",
       [](const Call& c) {
         return nn::rms_norm(c[0], {c[0].size(-1)}, {.weight = c[1], .eps = c.real("eps")});
       }},
      {"scaled_dot_product_attention", attention},
      {"unfold", [](const Call& c) { return unfold(c[0], unfold_options(c)); }},
  };
}

}  // namespace wick::conformance
