#include "table.h"

#include "wick/nn/losses/losses.h"

namespace wick::conformance {
namespace {

using wick::nn::Reduction;

Reduction reduction(const Call& c) {
  const std::string name = c.text("reduction", "mean");
  if (name == "none") return Reduction::none;
  return name == "sum" ? Reduction::sum : Reduction::mean;
}

nn::MarginOptions margin(const Call& c, double fallback) {
  return {.margin = c.real("margin", fallback), .reduction = reduction(c)};
}

Tensor cross_entropy(const Call& c) {
  return nn::cross_entropy(c[0],
                           c[1],
                           {.weight = c[2],
                            .ignore_index = c.integer("ignore_index", -100),
                            .label_smoothing = c.real("label_smoothing", 0),
                            .reduction = reduction(c)});
}

/// The archive's input are logits.
Tensor ctc_loss(const Call& c) {
  return nn::ctc_loss(log_softmax(c[0], -1),
                      c[1],
                      c.axes("input_lengths"),
                      c.axes("target_lengths"),
                      {.blank = c.integer("blank", 0),
                       .zero_infinity = c.flag("zero_infinity"),
                       .reduction = reduction(c)});
}

Tensor kl_div(const Call& c) {
  return nn::kl_div(c[0],
                    c[1],
                    {.log_target = c.flag("log_target"),
                     .batch_mean = c.text("reduction", "mean") == "batchmean",
                     .reduction = reduction(c)});
}

}  // namespace

std::vector<Entry> losses() {
  return {{"binary_cross_entropy",
           [](const Call& c) {
             return nn::binary_cross_entropy(
                 c[0], c[1], {.weight = c[2], .reduction = reduction(c)});
           }},
          {"binary_cross_entropy_with_logits",
           [](const Call& c) {
             return nn::binary_cross_entropy_with_logits(
                 c[0], c[1], {.weight = c[2], .pos_weight = c[3], .reduction = reduction(c)});
           }},
          {"cosine_embedding_loss",
           [](const Call& c) { return nn::cosine_embedding_loss(c[0], c[1], c[2], margin(c, 0)); }},
          {"cross_entropy", cross_entropy},
          {"ctc_loss", ctc_loss},
          {"gaussian_nll_loss",
           [](const Call& c) {
             return nn::gaussian_nll_loss(
                 c[0],
                 c[1],
                 c[2],
                 {.full = c.flag("full"), .eps = c.real("eps", 1e-6), .reduction = reduction(c)});
           }},
          {"hinge_embedding_loss",
           [](const Call& c) { return nn::hinge_embedding_loss(c[0], c[1], margin(c, 1)); }},
          {"huber_loss",
           [](const Call& c) {
             return nn::huber_loss(
                 c[0], c[1], {.delta = c.real("delta", 1), .reduction = reduction(c)});
           }},
          {"kl_div", kl_div},
          {"l1_loss", [](const Call& c) { return nn::l1_loss(c[0], c[1], reduction(c)); }},
          {"margin_ranking_loss",
           [](const Call& c) { return nn::margin_ranking_loss(c[0], c[1], c[2], margin(c, 0)); }},
          {"mse_loss", [](const Call& c) { return nn::mse_loss(c[0], c[1], reduction(c)); }},
          {"multi_margin_loss",
           [](const Call& c) {
             return nn::multi_margin_loss(c[0],
                                          c[1],
                                          {.margin = c.real("margin", 1),
                                           .p = static_cast<int>(c.integer("p", 1)),
                                           .weight = c[2],
                                           .reduction = reduction(c)});
           }},
          {"nll_loss",
           [](const Call& c) {
             return nn::nll_loss(c[0],
                                 c[1],
                                 {.weight = c[2],
                                  .ignore_index = c.integer("ignore_index", -100),
                                  .reduction = reduction(c)});
           }},
          {"poisson_nll_loss",
           [](const Call& c) {
             return nn::poisson_nll_loss(c[0],
                                         c[1],
                                         {.log_input = c.flag("log_input", true),
                                          .full = c.flag("full"),
                                          .eps = c.real("eps", 1e-8),
                                          .reduction = reduction(c)});
           }},
          {"smooth_l1_loss",
           [](const Call& c) {
             return nn::smooth_l1_loss(
                 c[0], c[1], {.beta = c.real("beta", 1), .reduction = reduction(c)});
           }},
          {"soft_margin_loss",
           [](const Call& c) { return nn::soft_margin_loss(c[0], c[1], reduction(c)); }},
          {"triplet_margin_loss", [](const Call& c) {
             return nn::triplet_margin_loss(c[0],
                                            c[1],
                                            c[2],
                                            {.margin = c.real("margin", 1),
                                             .p = c.real("p", 2),
                                             .eps = c.real("eps", 1e-6),
                                             .swap = c.flag("swap"),
                                             .reduction = reduction(c)});
           }}};
}

}  // namespace wick::conformance
