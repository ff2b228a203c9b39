#include <limits>
#include <span>
#include <string>
#include <vector>

#include "wick/autograd/autograd.h"
#include "wick/autograd/rules_opaque.h"
#include "wick/tensor/ops.h"

namespace wick::autograd {
namespace {

using ir::OpKind;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

Term run_scan(const Term& x, int64_t axis, const char* kind, bool reverse) {
  ir::Attributes attributes{{"axis", axis}, {"kind", std::string(kind)}};
  if (reverse) attributes.set("reverse", true);
  return apply(OpKind::scan, {x}, std::move(attributes));
}

/// The scan whose gradient is asked for, halves in f32.
struct Scan {
  int64_t axis;
  bool reverse;
  Term x;
  Term cotangent;

  explicit Scan(const Step& s)
      : axis(s.attributes().integer("axis", 0)),
        reverse(s.attributes().flag("reverse")),
        x(wide(s.operand(0))),
        cotangent(wide(s.cotangent())) {}

  static Term wide(const Term& term) {
    return is_half(term.dtype()) ? cast(term, DType::f32) : term;
  }

  [[nodiscard]] Term forth(const Term& term, const char* kind) const {
    return run_scan(term, axis, kind, reverse);
  }

  /// From where the scan ended to where it began.
  [[nodiscard]] Term back(const Term& term, const char* kind) const {
    return run_scan(term, axis, kind, !reverse);
  }
};

/// Where no zero came before, each later product over the element. At the first zero, the products
/// that leave it out. After it, nothing: every product has the zero in it.
Term grad_prod(const Scan& scan) {
  const Term& x = scan.x;
  const Term is_zero = equal(x, 0.0);
  const Term zeros_so_far = scan.forth(cast(is_zero, DType::i64), "sum");
  const Term is_first_zero = both(is_zero, equal(zeros_so_far, 1.0));
  const Term product = scan.forth(x, "prod");
  const Term without_first = scan.forth(select(is_first_zero, 1.0, x), "prod");
  const Term divisor = select(is_zero, 1.0, x);
  const Term before = scan.back(scan.cotangent * product, "sum") / divisor;
  const Term at_first = scan.back(scan.cotangent * without_first, "sum");
  return select(equal(zeros_so_far, 0.0), before, select(is_first_zero, at_first, 0.0));
}

/// Each cotangent goes to the last element that the scan found to be its extreme.
Term grad_extreme(const Scan& scan, const Term& extreme) {
  const Term& x = scan.x;
  const Term here = row_major_positions(x.shape(), x.where);
  const Term is_number = equal(x, x);
  const Term is_passed = both(is_number, apply(OpKind::ne, {x, extreme}));
  const auto none = static_cast<double>(scan.reverse ? x.tensor.numel() : 0);
  const Term hits = select(is_passed, none, here);
  const Term last = scan.forth(hits, scan.reverse ? "min" : "max");
  const Shape flat{x.tensor.numel()};
  const Term zero = filled(flat, 0.0, x.dtype(), x.where);
  const Term sums = apply(OpKind::scatter,
                          {zero, reshape(last, flat), reshape(scan.cotangent, flat)},
                          {{"axis", int64_t{0}}});
  return reshape(sums, x.shape());
}

/// exp(a_j) times the sum over k from j on (before j, if `forward`) of v_k exp(b_k). Linear in v,
/// and so are its gradients, which are of the same form; in between are logarithms, of positive and
/// negative v apart, for the exponentials may be too large or too small for any float.
Tensor exponential_sums(std::span<const Tensor> inputs,
                        int64_t axis,
                        bool forward,
                        std::source_location where) {
  const auto compute = [=](std::span<const Tensor> in) {
    const Term v{in[0], where};
    const Term a{in[1], where};
    const Term b{in[2], where};
    const auto part = [&](const Term& amount, const Term& is_absent) {
      const Term size = select(is_absent, -kInfinity, log(select(is_absent, 1.0, amount)) + b);
      return exp(run_scan(size, axis, "logaddexp", !forward) + a);
    };
    return (part(v, greater_equal(-v, 0.0)) - part(-v, greater_equal(v, 0.0))).tensor;
  };
  const auto gradient = [=](std::span<const Tensor> in, const Tensor& sums, const Tensor& g) {
    const Tensor operands[] = {g, in[2], in[1]};
    const Tensor to_v = exponential_sums(operands, axis, !forward, where);
    return std::vector<Tensor>{to_v, g * sums, in[0] * to_v};
  };
  return custom_gradient(compute, gradient)(inputs);
}

/// The sum over k from j on of g_k exp(x_j - y_k).
Term grad_logaddexp(const Scan& scan) {
  const Term y = scan.forth(scan.x, "logaddexp");
  // What is log of nothing has no share in later sums.
  const Term weight = select(equal(y, -kInfinity), -kInfinity, -y);
  const Tensor inputs[] = {scan.cotangent.tensor, scan.x.tensor, weight.tensor};
  return {exponential_sums(inputs, scan.axis, scan.reverse, scan.x.where), scan.x.where};
}

Term grad_of_kind(const Scan& scan, const std::string& kind, const Step& s) {
  if (kind == "sum") return scan.back(scan.cotangent, "sum");
  if (kind == "prod") return grad_prod(scan);
  if (kind == "logaddexp") return grad_logaddexp(scan);
  return grad_extreme(scan, Scan::wide(s.output()));
}

}  // namespace

Term row_major_positions(const Shape& shape, std::source_location where) {
  return reshape({arange(shape.numel(), DType::i64, where), where}, shape);
}

Term grad_scan(const Step& s) {
  return cast(grad_of_kind(Scan(s), s.attributes().text("kind"), s), s.operand(0).dtype());
}

}  // namespace wick::autograd
