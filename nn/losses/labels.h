#pragma once

// Class labels beside scores, for the losses over classes. Internal.

#include <cstdint>
#include <optional>
#include <string_view>

#include "wick/tensor/ops.h"
#include "wick/tensor/tensor.h"

namespace wick::nn::detail {

/// The axis of the classes: 1, or 0 for the scores of one sample.
int class_axis(const Tensor& scores);

/// Labels as a mask over scores [n, c, ...] or [c]. Comparing with the positions fuses into what is
/// around it and, unlike a product with a one-hot row, keeps infinities of other classes out.
class Labels {
 public:
  /// Error at `where` unless the scores are floats, the labels integers of their shape without the
  /// axis of the classes, and the class weights, where defined, [c].
  Labels(std::string_view op,
         const Tensor& scores,
         const Tensor& labels,
         const Tensor& class_weights,
         Where where,
         std::optional<int64_t> ignored = std::nullopt);

  [[nodiscard]] int axis() const { return axis_; }

  /// True at the label of each sample; nowhere for labels that are ignored or out of range.
  [[nodiscard]] const Tensor& mask() const { return mask_; }

  /// x at each label, 0 for samples without one; the axis of the classes goes.
  [[nodiscard]] Tensor pick(const Tensor& x, Where where) const;
  /// The weight of each sample's class, 0 for samples without one.
  [[nodiscard]] Tensor weights(Where where) const;

 private:
  int axis_ = 0;
  DType dtype_ = DType::f32;  // of weights()
  Tensor mask_;
  Tensor exists_;         // per sample
  Tensor class_weights_;  // shaped to broadcast with the scores; undefined: all 1
};

/// Error unless the class weights, where defined, are floats [c].
void require_class_weights(std::string_view op,
                           const Tensor& scores,
                           const Tensor& class_weights,
                           Where where);

/// One number a class, shaped to broadcast along the axis of the classes.
Tensor along_classes(const Tensor& values, const Tensor& scores, Where where);

}  // namespace wick::nn::detail
