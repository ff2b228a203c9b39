#include "wick/autograd/rules.h"
#include "wick/tensor/ops.h"

namespace wick::autograd {
namespace {

using ir::OpKind;

/// The attributes of a pool over x as those of its gradient.
ir::Attributes gradient_attributes(const Step& s) {
  const Shape& input = s.operand(0).shape();
  ir::Attributes attributes = s.attributes();
  attributes.set("input_shape", Axes(input.begin(), input.end()));
  return attributes;
}

Term grad_max_pool(const Step& s) {
  ir::Attributes attributes = s.attributes();
  attributes.set("argmax", true);
  const Term largest = apply(OpKind::max_pool2d, {s.operand(0)}, std::move(attributes));
  return apply(OpKind::max_pool2d_grad, {largest, s.cotangent()}, gradient_attributes(s));
}

Term grad_avg_pool(const Step& s) {
  return apply(OpKind::avg_pool2d_grad, {s.cotangent()}, gradient_attributes(s));
}

Term grad_avg_pool_grad(const Step& s) {
  ir::Attributes attributes = s.attributes();
  attributes.erase("input_shape");
  return apply(OpKind::avg_pool2d, {s.cotangent()}, std::move(attributes));
}

/// The windows of a pool over [n,c,h,w] as [n,c,oh,kh,ow,kw].
class Windows {
 public:
  explicit Windows(const Step& s)
      : kernel_(s.attributes().integers("kernel")),
        stride_(s.attributes().has("stride") ? s.attributes().integers("stride") : kernel_),
        padding_(s.attributes().has("padding") ? s.attributes().integers("padding") : Axes{0, 0}),
        counts_{s.operand(1).shape()[2], s.operand(1).shape()[3]} {}

  [[nodiscard]] Term of(const Term& x) const {
    const Axes border{0, 0, padding_[0], padding_[1]};
    const Term padded = pad(x, {border, border, Axes(4, 0)}, 0.0);
    const Term rows = apply(OpKind::gather, {padded, positions(0, x)}, {{"axis", int64_t{2}}});
    return apply(OpKind::gather, {rows, positions(1, x)}, {{"axis", int64_t{4}}});
  }

  /// The number of an element within its window, as max_pool2d counts, [kh,1,kw].
  [[nodiscard]] Term element_numbers(std::source_location where) const {
    const Tensor numbers = arange(kernel_[0] * kernel_[1], DType::i64, where);
    return reshape({numbers, where}, Shape{kernel_[0], 1, kernel_[1]});
  }

 private:
  /// i64[count, kernel]: where element k of window i lies in the padded axis.
  [[nodiscard]] Term positions(size_t axis, const Term& x) const {
    const Term starts{arange(counts_[axis], DType::i64, x.where), x.where};
    const Term elements{arange(kernel_[axis], DType::i64, x.where), x.where};
    return reshape(starts * static_cast<double>(stride_[axis]), Shape{counts_[axis], 1}) + elements;
  }

  Axes kernel_;
  Axes stride_;
  Axes padding_;
  Axes counts_;
};

/// max_pool2d_grad moves each cotangent to one element of its window, and its own gradient picks
/// that element of each window. Nothing flows to which one it is.
Term grad_max_pool_grad(const Step& s) {
  const Windows windows(s);
  const Shape& pooled = s.operand(1).shape();
  const Shape one_each{pooled[0], pooled[1], pooled[2], 1, pooled[3], 1};
  const Term largest =
      reshape(apply(OpKind::cast, {s.operand(0)}, {{"dtype", DType::i64}}), one_each);
  const Term chosen = equal(windows.element_numbers(largest.where), largest);
  const Term picked = select(chosen, windows.of(s.cotangent()), 0.0);
  return reshape(sum_keeping(picked, {3, 5}), pooled);
}

constexpr GradientRow kPoolingRows[] = {
    {OpKind::max_pool2d, {grad_max_pool}},
    {OpKind::max_pool2d_grad, {nullptr, grad_max_pool_grad}},
    {OpKind::avg_pool2d, {grad_avg_pool}},
    {OpKind::avg_pool2d_grad, {grad_avg_pool_grad}},
};

static_assert(covers(kPoolingRows, Family::pooling));

}  // namespace

std::span<const GradientRow> pooling_rules() {
  return kPoolingRows;
}

}  // namespace wick::autograd
