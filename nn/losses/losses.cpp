#include "wick/nn/losses/losses.h"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "wick/ir/error.h"

namespace wick::nn {

namespace {

void check_labels(std::string_view op, const Tensor& scores, const Tensor& labels, Where where) {
  const auto wanted = scores.shape().extents();
  const auto given = labels.shape().extents();
  const bool fits = !wanted.empty() && std::ranges::equal(wanted.first(wanted.size() - 1), given) &&
                    is_integer(labels.dtype()) && is_float(scores.dtype());
  if (fits) return;
  throw Error(where,
              op,
              fmt::format("labels must be integers of the shape of the scores without its last "
                          "axis: scores {}, labels {}",
                          to_string(scores.type()),
                          to_string(labels.type())));
}

/// Picks by comparing with the positions: that fuses into the softmax around it, and unlike a
/// product with a one-hot row it keeps infinities of other classes out.
Tensor picked_nll(const Tensor& log_probs, const Tensor& labels, Where where) {
  const int64_t num_classes = log_probs.shape()[log_probs.ndim() - 1];
  const Tensor column = unsqueeze(cast(labels, DType::i64, where), -1, where);
  const Tensor is_label = column == arange(num_classes, DType::i64, where);
  const Tensor picked = sum(wick::where(is_label, log_probs, 0), {}, false, where);
  const auto rows = static_cast<double>(std::max<int64_t>(labels.numel(), 1));
  return picked * (-1.0 / rows);
}

}  // namespace

Tensor nll_loss(const Tensor& log_probs, const Tensor& labels, Where where) {
  check_labels("nll_loss", log_probs, labels, where);
  return picked_nll(log_probs, labels, where);
}

Tensor cross_entropy(const Tensor& logits, const Tensor& labels, Where where) {
  check_labels("cross_entropy", logits, labels, where);
  return picked_nll(log_softmax(logits, -1, where), labels, where);
}

Tensor mse_loss(const Tensor& prediction, const Tensor& target, Where where) {
  if (prediction.type() != target.type()) {
    throw Error(where,
                "mse_loss",
                fmt::format("types differ: prediction {}, target {}",
                            to_string(prediction.type()),
                            to_string(target.type())));
  }
  return mean(square(Operand(prediction, where) - Operand(target, where), where), {}, false, where);
}

}  // namespace wick::nn
