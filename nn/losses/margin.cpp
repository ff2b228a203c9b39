#include "wick/nn/losses/margin.h"

#include <fmt/format.h>

#include "wick/autograd/activation.h"
#include "wick/ir/error.h"
#include "wick/nn/losses/labels.h"

namespace wick::nn {

namespace {

using detail::hinge;
using detail::reduce_loss;
using detail::require_same_shape;
using detail::to_compute_dtype;

/// (sum of |a - b + eps|^p over the last axis)^(1/p).
Tensor distance(const Tensor& a,
                const Tensor& b,
                const TripletMarginOptions& options,
                Where where) {
  const Tensor d = (Operand(a, where) - b) + Operand(options.eps, where);
  if (options.p == 2) return sqrt(sum(square(d, where), {-1}, false, where), where);
  const Tensor total = sum(pow(abs(d, where), options.p, where), {-1}, false, where);
  return pow(total, 1.0 / options.p, where);
}

Tensor sum_last(const Tensor& x, Where where) {
  return sum(x, {-1}, false, where);
}

}  // namespace

Tensor margin_ranking_loss(
    const Tensor& a, const Tensor& b, const Tensor& y, const MarginOptions& options, Where where) {
  require_same_shape("margin_ranking_loss", "a", a, "b", b, where);
  require_same_shape("margin_ranking_loss", "a", a, "y", y, where);
  const Tensor lead = Operand(to_compute_dtype(a, where), where) - to_compute_dtype(b, where);
  const Tensor gap = options.margin - Operand(y, where) * lead;
  return reduce_loss(hinge(gap, where), options.reduction, a.dtype(), where);
}

Tensor hinge_embedding_loss(const Tensor& x,
                            const Tensor& y,
                            const MarginOptions& options,
                            Where where) {
  require_same_shape("hinge_embedding_loss", "x", x, "y", y, where);
  const Tensor d = to_compute_dtype(x, where);
  const Tensor far = hinge(options.margin - Operand(d, where), where);
  const Tensor apart = wick::where(Operand(y, where) != 1, far, Operand(0, where));
  const Tensor close = wick::where(Operand(y, where) != -1, d, Operand(0, where));
  return reduce_loss(Operand(apart, where) + close, options.reduction, x.dtype(), where);
}

Tensor cosine_embedding_loss(
    const Tensor& a, const Tensor& b, const Tensor& y, const MarginOptions& options, Where where) {
  constexpr const char* kOp = "cosine_embedding_loss";
  require_same_shape(kOp, "a", a, "b", b, where);
  if (!y.defined() || a.ndim() != y.ndim() + 1 || a.ndim() > 2 ||
      (y.ndim() == 1 && y.shape()[0] != a.shape()[0])) {
    constexpr auto kText = "y must be [n] for vectors [n,c], or a scalar for [c]: a {}, y {}";
    const std::string given = y.defined() ? to_string(y.type()) : "undefined";
    throw Error(where, kOp, fmt::format(kText, to_string(a.type()), given));
  }
  constexpr double kEps = 1e-12;  // keeps the cosine of zeros finite
  const Tensor u = to_compute_dtype(a, where);
  const Tensor v = to_compute_dtype(b, where);
  const Tensor u_square = Operand(sum_last(square(u, where), where), where) + kEps;
  const Tensor v_square = Operand(sum_last(square(v, where), where), where) + kEps;
  const Tensor product = sum_last(Operand(u, where) * v, where);
  const Tensor cosine = Operand(product, where) / sqrt(Operand(u_square, where) * v_square, where);
  const Tensor apart = hinge(Operand(cosine, where) - options.margin, where);
  const Tensor similar =
      wick::where(Operand(y, where) == 1, 1.0 - Operand(cosine, where), Operand(0, where));
  const Tensor different = wick::where(Operand(y, where) == -1, apart, Operand(0, where));
  return reduce_loss(Operand(similar, where) + different, options.reduction, a.dtype(), where);
}

Tensor soft_margin_loss(const Tensor& x, const Tensor& y, Reduction reduction, Where where) {
  require_same_shape("soft_margin_loss", "x", x, "y", y, where);
  const Tensor score = Operand(to_compute_dtype(y, where), where) * to_compute_dtype(x, where);
  // log(1 + exp(-score))
  return reduce_loss(-Operand(logsigmoid(score, where), where), reduction, x.dtype(), where);
}

Tensor multi_margin_loss(const Tensor& x,
                         const Tensor& labels,
                         const MultiMarginOptions& options,
                         Where where) {
  constexpr const char* kOp = "multi_margin_loss";
  if (options.p != 1 && options.p != 2) {
    throw Error(where, kOp, fmt::format("p must be 1 or 2, is {}", options.p));
  }
  const detail::Labels target(kOp, x, labels, options.weight, where);
  const Tensor scores = to_compute_dtype(x, where);
  const Tensor own = target.pick(scores, where);
  const Tensor gap = Operand(scores, where) - unsqueeze(own, target.axis(), where);
  const Tensor margin = relu(Operand(gap, where) + options.margin, where);
  const Tensor power = options.p == 2 ? square(margin, where) : margin;
  const Tensor others = wick::where(target.mask(), Operand(0, where), power);
  Tensor loss = mean(others, {target.axis()}, false, where);
  if (options.weight.defined()) loss = Operand(loss, where) * target.weights(where);
  return reduce_loss(loss, options.reduction, x.dtype(), where);
}

Tensor triplet_margin_loss(const Tensor& anchor,
                           const Tensor& positive,
                           const Tensor& negative,
                           const TripletMarginOptions& options,
                           Where where) {
  constexpr const char* kOp = "triplet_margin_loss";
  require_same_shape(kOp, "anchor", anchor, "positive", positive, where);
  require_same_shape(kOp, "anchor", anchor, "negative", negative, where);
  if (anchor.ndim() == 0) throw Error(where, kOp, "anchor must have an axis, is a scalar");
  const Tensor a = to_compute_dtype(anchor, where);
  const Tensor p = to_compute_dtype(positive, where);
  const Tensor n = to_compute_dtype(negative, where);
  const Tensor near = distance(a, p, options, where);
  Tensor far = distance(a, n, options, where);
  if (options.swap) far = minimum(Operand(far, where), distance(p, n, options, where));
  const Tensor gap = (Operand(near, where) - far) + Operand(options.margin, where);
  return reduce_loss(hinge(gap, where), options.reduction, anchor.dtype(), where);
}

}  // namespace wick::nn
