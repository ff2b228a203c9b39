#include "wick/nn/losses/labels.h"

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "wick/ir/error.h"
#include "wick/nn/losses/reduction.h"

namespace wick::nn::detail {

namespace {

Shape without_axis(const Shape& shape, int dropped) {
  std::vector<int64_t> extents;
  for (int axis = 0; axis < shape.ndim(); ++axis) {
    if (axis != dropped) extents.push_back(shape[axis]);
  }
  return Shape(std::span<const int64_t>(extents));
}

void require_labels(std::string_view op, const Tensor& scores, const Tensor& labels, Where where) {
  require_float(op, "scores", scores, where);
  const bool fits = labels.defined() && scores.ndim() > 0 && is_integer(labels.dtype()) &&
                    labels.shape() == without_axis(scores.shape(), class_axis(scores));
  if (fits) return;
  throw Error(where,
              op,
              fmt::format("labels must be integers of the shape of the scores without the axis of "
                          "the classes: scores {}, labels {}",
                          to_string(scores.type()),
                          labels.defined() ? to_string(labels.type()) : "undefined"));
}

}  // namespace

int class_axis(const Tensor& scores) {
  return scores.ndim() < 2 ? 0 : 1;
}

void require_class_weights(std::string_view op,
                           const Tensor& scores,
                           const Tensor& class_weights,
                           Where where) {
  if (!class_weights.defined()) return;
  const int64_t num_classes = scores.shape()[class_axis(scores)];
  if (is_float(class_weights.dtype()) && class_weights.shape() == Shape{num_classes}) return;
  throw Error(where,
              op,
              fmt::format("weight must be floats [{}], one a class, is {}",
                          num_classes,
                          to_string(class_weights.type())));
}

Tensor along_classes(const Tensor& values, const Tensor& scores, Where where) {
  std::vector<int64_t> extents(static_cast<size_t>(scores.ndim()), 1);
  extents[static_cast<size_t>(class_axis(scores))] = values.numel();
  return reshape(values, Shape(std::span<const int64_t>(extents)), where);
}

Labels::Labels(std::string_view op,
               const Tensor& scores,
               const Tensor& labels,
               const Tensor& class_weights,
               Where where,
               std::optional<int64_t> ignored) {
  require_labels(op, scores, labels, where);
  require_class_weights(op, scores, class_weights, where);
  axis_ = class_axis(scores);
  dtype_ = scores.dtype() == DType::f64 ? DType::f64 : DType::f32;
  const int64_t num_classes = scores.shape()[axis_];
  const Tensor wide = cast(labels, DType::i64, where);
  // Numbers of 32 bits are compared twice as fast. Labels out of range stay so.
  using Narrow = std::numeric_limits<int32_t>;
  const DType narrow = num_classes <= Narrow::max() ? DType::i32 : DType::i64;
  const Tensor near = cast(clamp(wide, Narrow::min(), Narrow::max(), where), narrow, where);
  const Tensor numbers = along_classes(arange(num_classes, narrow, where), scores, where);
  mask_ = Operand(unsqueeze(near, axis_, where), where) == numbers;
  exists_ = (Operand(wide, where) >= 0) & (Operand(wide, where) < num_classes);
  if (ignored.has_value() && *ignored >= 0 && *ignored < num_classes) {
    exists_ = Operand(exists_, where) & (Operand(wide, where) != *ignored);
    mask_ = Operand(mask_, where) & unsqueeze(exists_, axis_, where);
  }
  if (class_weights.defined()) {
    class_weights_ = along_classes(to_compute_dtype(class_weights, where), scores, where);
  }
}

Tensor Labels::pick(const Tensor& x, Where where) const {
  return sum(wick::where(mask_, x, Operand(0, where)), {axis_}, false, where);
}

Tensor Labels::weights(Where where) const {
  if (class_weights_.defined()) return pick(class_weights_, where);
  return cast(exists_, dtype_, where);
}

}  // namespace wick::nn::detail
