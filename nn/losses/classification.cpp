#include "wick/nn/losses/classification.h"

#include <fmt/format.h>

#include "wick/autograd/activation.h"
#include "wick/autograd/autograd.h"
#include "wick/ir/error.h"
#include "wick/nn/losses/labels.h"

namespace wick::nn {

namespace {

using detail::Labels;
using detail::reduce_loss;
using detail::require_float;
using detail::require_same_shape;
using detail::to_compute_dtype;

/// The losses of the samples, whose mean is over their weights.
Tensor reduce_weighted(
    const Tensor& losses, const Tensor& weights, Reduction reduction, DType dtype, Where where) {
  if (reduction != Reduction::mean) return reduce_loss(losses, reduction, dtype, where);
  const Tensor total = sum(losses, {}, false, where);
  return cast(Operand(total, where) / sum(weights, {}, false, where), dtype, where);
}

Tensor negated(const Tensor& x, Where where) {
  return -Operand(x, where);
}

Tensor weighted_log_probs(const Tensor& log_probs, const Tensor& class_weights, Where where) {
  if (!class_weights.defined()) return log_probs;
  return Operand(log_probs, where) *
         detail::along_classes(to_compute_dtype(class_weights, where), log_probs, where);
}

/// -weight[label] * log_probs[label] of each sample.
Tensor sample_nll(const Labels& labels, const Tensor& weighted, Where where) {
  return negated(labels.pick(weighted, where), where);
}

Tensor cross_entropy_of_labels(const Tensor& logits,
                               const Tensor& target,
                               const CrossEntropyOptions& options,
                               Where where) {
  const Labels labels("cross_entropy", logits, target, options.weight, where, options.ignore_index);
  const Tensor log_probs = log_softmax(to_compute_dtype(logits, where), labels.axis(), where);
  const Tensor weighted = weighted_log_probs(log_probs, options.weight, where);
  const Tensor weights = labels.weights(where);
  Tensor losses = sample_nll(labels, weighted, where);
  if (options.label_smoothing > 0) {
    const double smoothing = options.label_smoothing;
    const Tensor counts = any(labels.mask(), {labels.axis()}, false, where);
    const Tensor spread = mean(weighted, {labels.axis()}, false, where);
    const Tensor even = wick::where(counts, negated(spread, where), Operand(0, where));
    losses = Operand(losses, where) * (1.0 - smoothing) + Operand(even, where) * smoothing;
  }
  return reduce_weighted(losses, weights, options.reduction, logits.dtype(), where);
}

Tensor cross_entropy_of_probabilities(const Tensor& logits,
                                      const Tensor& target,
                                      const CrossEntropyOptions& options,
                                      Where where) {
  require_same_shape("cross_entropy", "logits", logits, "target", target, where);
  detail::require_class_weights("cross_entropy", logits, options.weight, where);
  const int axis = detail::class_axis(logits);
  const Tensor log_probs = log_softmax(to_compute_dtype(logits, where), axis, where);
  const Tensor weighted = weighted_log_probs(log_probs, options.weight, where);
  Tensor wanted = to_compute_dtype(target, where);
  if (options.label_smoothing > 0) {
    const double even = options.label_smoothing / static_cast<double>(logits.shape()[axis]);
    wanted = Operand(wanted, where) * (1.0 - options.label_smoothing) + Operand(even, where);
  }
  const Tensor losses =
      negated(sum(Operand(weighted, where) * wanted, {axis}, false, where), where);
  return reduce_loss(losses, options.reduction, logits.dtype(), where);
}

constexpr double kLogFloor = -100;  // of binary_cross_entropy
constexpr double kSmallestVariance = 1e-12;

Tensor floored_log(const Tensor& x, Where where) {
  return maximum(Operand(log(x, where), where), kLogFloor);
}

/// Its own gradient: where the logarithm is floored that of the composition would be 0, and a wrong
/// prediction would never be mended.
Tensor elementwise_bce(const Tensor& probabilities, const Tensor& target, Where where) {
  const auto forward = [where](std::span<const Tensor> inputs) {
    const Operand p(inputs[0], where);
    const Operand t(inputs[1], where);
    return (t - 1.0) * floored_log(1.0 - p, where) - t * floored_log(inputs[0], where);
  };
  const auto backward =
      [where](std::span<const Tensor> inputs, const Tensor& /*output*/, const Tensor& cotangent) {
        const Operand p(inputs[0], where);
        const Operand t(inputs[1], where);
        const Operand g(cotangent, where);
        const Tensor variance = maximum((1.0 - p) * p, kSmallestVariance);
        const Tensor log_odds = floored_log(1.0 - p, where) - floored_log(inputs[0], where);
        return std::vector<Tensor>{g * (p - t) / Operand(variance, where), g * log_odds};
      };
  const Tensor inputs[] = {probabilities, target};
  return custom_gradient(forward, backward)(inputs);
}

Tensor weighted(const Tensor& losses, const Tensor& weight, Where where) {
  if (!weight.defined()) return losses;
  return Operand(losses, where) * to_compute_dtype(weight, where);
}

/// target log target, and 0 at 0 also for gradients.
Tensor negative_entropy(const Tensor& target, Where where) {
  const Tensor is_zero = Operand(target, where) == 0;
  const Tensor safe = wick::where(is_zero, Operand(1, where), target);
  return wick::where(is_zero, Operand(0, where), Operand(safe, where) * log(safe, where));
}

}  // namespace

Tensor nll_loss(const Tensor& log_probs,
                const Tensor& labels,
                const NllOptions& options,
                Where where) {
  const Labels target("nll_loss", log_probs, labels, options.weight, where, options.ignore_index);
  const Tensor scores = to_compute_dtype(log_probs, where);
  const Tensor losses =
      sample_nll(target, weighted_log_probs(scores, options.weight, where), where);
  const Tensor weights = target.weights(where);
  return reduce_weighted(losses, weights, options.reduction, log_probs.dtype(), where);
}

Tensor cross_entropy(const Tensor& logits,
                     const Tensor& target,
                     const CrossEntropyOptions& options,
                     Where where) {
  if (!(options.label_smoothing >= 0 && options.label_smoothing <= 1)) {
    constexpr auto kText = "label_smoothing must be in [0, 1], is {}";
    throw Error(where, "cross_entropy", fmt::format(kText, options.label_smoothing));
  }
  const bool are_probabilities = logits.defined() && target.defined() && is_float(target.dtype()) &&
                                 target.shape() == logits.shape();
  if (are_probabilities) return cross_entropy_of_probabilities(logits, target, options, where);
  return cross_entropy_of_labels(logits, target, options, where);
}

Tensor binary_cross_entropy(const Tensor& probabilities,
                            const Tensor& target,
                            const BinaryCrossEntropyOptions& options,
                            Where where) {
  constexpr const char* kOp = "binary_cross_entropy";
  require_same_shape(kOp, "probabilities", probabilities, "target", target, where);
  require_float(kOp, "target", target, where);
  const Tensor losses = elementwise_bce(
      to_compute_dtype(probabilities, where), to_compute_dtype(target, where), where);
  return reduce_loss(
      weighted(losses, options.weight, where), options.reduction, probabilities.dtype(), where);
}

Tensor binary_cross_entropy_with_logits(const Tensor& logits,
                                        const Tensor& target,
                                        const LogitsOptions& options,
                                        Where where) {
  constexpr const char* kOp = "binary_cross_entropy_with_logits";
  require_same_shape(kOp, "logits", logits, "target", target, where);
  require_float(kOp, "target", target, where);
  const Tensor x = to_compute_dtype(logits, where);
  const Tensor t = to_compute_dtype(target, where);
  // With s = -log sigmoid(x): (1 - t) x + (1 + (pos_weight - 1) t) s.
  Tensor s = -Operand(logsigmoid(x, where), where);
  if (options.pos_weight.defined()) {
    const Tensor excess = Operand(to_compute_dtype(options.pos_weight, where), where) - 1;
    s = (Operand(excess, where) * t + Operand(1, where)) * Operand(s, where);
  }
  const Tensor losses = (1.0 - Operand(t, where)) * Operand(x, where) + Operand(s, where);
  return reduce_loss(
      weighted(losses, options.weight, where), options.reduction, logits.dtype(), where);
}

Tensor kl_div(const Tensor& log_probs,
              const Tensor& target,
              const KlDivOptions& options,
              Where where) {
  require_float("kl_div", "log_probs", log_probs, where);
  require_float("kl_div", "target", target, where);
  const Tensor x = to_compute_dtype(log_probs, where);
  const Tensor t = to_compute_dtype(target, where);
  Tensor losses;
  if (options.log_target) {
    losses = Operand(exp(t, where), where) * (Operand(t, where) - x);
  } else {
    losses = Operand(negative_entropy(t, where), where) - Operand(t, where) * x;
  }
  if (!options.batch_mean) {
    return reduce_loss(losses, options.reduction, log_probs.dtype(), where);
  }
  if (losses.ndim() == 0) throw Error(where, "kl_div", "batch_mean needs an axis 0");
  const Tensor total = sum(losses, {}, false, where);
  return cast(Operand(total, where) / losses.shape()[0], log_probs.dtype(), where);
}

}  // namespace wick::nn
