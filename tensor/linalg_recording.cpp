#include "wick/tensor/linalg_recording.h"

#include <algorithm>
#include <limits>

#include "wick/tensor/custom_op.h"
#include "wick/tensor/promotion.h"

namespace wick::detail {
namespace {

Shape batch_of(const Tensor& x) {
  return Shape(x.shape().extents().first(static_cast<size_t>(x.ndim()) - 2));
}

Tensor with_batch(const Tensor& x, const Shape& batch, Where where) {
  Axes extents(batch.begin(), batch.end());
  extents.insert(extents.end(), {x.size(-2), x.size(-1)});
  return broadcast_to(x, Shape(extents), where);
}

/// Operands that have no common batch stay as they are: the op reports them.
void broadcast_batches(Tensor& a, Tensor& b, Where where) {
  if (a.ndim() < 2 || b.ndim() < 2) return;
  const auto batch = broadcast_shapes(batch_of(a), batch_of(b));
  if (!batch) return;
  a = with_batch(a, *batch, where);
  b = with_batch(b, *batch, where);
}

double epsilon_of(DType dtype) {
  return dtype == DType::f64 ? std::numeric_limits<double>::epsilon()
                             : std::numeric_limits<float>::epsilon();
}

}  // namespace

LinalgOp::LinalgOp(std::string_view name, std::initializer_list<Tensor> operands, Where where)
    : name_(name),
      operands_(promoted(name, {operands.begin(), operands.size()}, where)),
      dtype_(operands_.front().dtype()),
      where_(where) {
  if (is_half(dtype_)) {  // of which libraries know nothing
    for (Tensor& operand : operands_)
      operand = cast(operand, DType::f32, where);
  }
  if (operands_.size() == 2) broadcast_batches(operands_[0], operands_[1], where);
}

Tensor LinalgOp::record(ir::Attributes attributes) const {
  return custom_op(name_, operands_, std::move(attributes), where_);
}

Tensor LinalgOp::rounded(const Tensor& result) const {
  return cast(result, dtype_, where_);
}

double LinalgOp::default_tolerance() const {
  const Tensor& a = operands_.front();
  if (a.ndim() < 2) return 0;  // which the op reports
  return epsilon_of(a.dtype()) * static_cast<double>(std::max(a.size(-2), a.size(-1)));
}

std::vector<Tensor> unpacked(const Tensor& packed, std::span<const Axes> extents, Where where) {
  const Shape& shape = packed.shape();
  std::vector<Tensor> pieces;
  int64_t begin = 0;
  for (const Axes& own : extents) {
    int64_t count = 1;
    for (const int64_t extent : own)
      count *= extent;
    Axes all(shape.begin(), shape.end() - 1);
    all.insert(all.end(), own.begin(), own.end());
    pieces.push_back(reshape(slice(packed, -1, begin, begin + count, 1, where), Shape(all), where));
    begin += count;
  }
  return pieces;
}

}  // namespace wick::detail
