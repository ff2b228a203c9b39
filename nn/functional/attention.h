#pragma once

// Attention (Vaswani et al., 2017).

#include <optional>

#include "wick/tensor/ops.h"
#include "wick/tensor/tensor.h"

namespace wick::nn {

struct AttentionOptions {
  /// Broadcasts to the scores [..., l, s]: bools say which keys a query may look at, floats are
  /// added to the scores. Undefined: no mask.
  Tensor mask = {};
  /// Query i looks at keys 0..i only. Many queries do so in blocks: what lies behind a block is
  /// neither computed nor kept.
  bool is_causal = false;
  /// 1 / sqrt(e) unless set.
  std::optional<double> scale = std::nullopt;
  /// The share of the weights that are dropped; 0 in evaluation.
  double dropout = 0;
};

/// softmax(scale query key^T + mask) value: query f32[..., l, e], key f32[..., s, e], value
/// f32[..., s, v] give f32[..., l, v]; leading axes broadcast. Where the last of these counts
/// heads, a query may have several times as many as key and value (grouped heads; Ainslie et al.,
/// 2023). A query that may look at nothing gives NaN. Half types compute the softmax in f32. Error
/// if shapes or dtypes do not fit.
Tensor scaled_dot_product_attention(const Tensor& query,
                                    const Tensor& key,
                                    const Tensor& value,
                                    const AttentionOptions& options = {},
                                    Where where = Where::current());

}  // namespace wick::nn
