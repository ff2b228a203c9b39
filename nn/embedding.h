#pragma once

// The embedding layer.

#include <optional>

#include "wick/nn/module.h"

namespace wick::nn {

/// Rows of a table of `count` vectors at integer indices: [...] gives f32[..., extent]. The weight
/// f32[count, extent] starts standard normal; the row `padding_index` starts 0 and is not trained.
class Embedding final : public Module {
 public:
  Embedding(int64_t count,
            int64_t extent,
            std::optional<int64_t> padding_index = std::nullopt,
            Where where = Where::current());

  Tensor forward(const Tensor& indices) override;

  [[nodiscard]] const Parameter& weight() const { return weight_; }

 private:
  std::optional<int64_t> padding_index_;
  Parameter weight_;
};

}  // namespace wick::nn
