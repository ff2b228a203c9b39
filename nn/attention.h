#pragma once

// The attention layer (Vaswani et al., 2017).

#include <memory>

#include "wick/nn/linear.h"
#include "wick/nn/module.h"

namespace wick::nn {

struct MultiheadOptions {
  /// Heads of keys and values, each shared by as many of the queries (Ainslie et al., 2023); 0: as
  /// many as queries have.
  int64_t key_value_heads = 0;
  bool bias = true;
  /// Query i looks at keys 0..i only.
  bool is_causal = false;
  /// The share of the attention weights that are dropped in training.
  double dropout = 0;
};

/// scaled_dot_product_attention of `heads` parts of an extent e, between the linear layers q_proj,
/// k_proj and v_proj before it and out_proj behind it. Error unless the heads divide e, and those
/// of keys and values the others.
class MultiheadAttention final : public Module {
 public:
  MultiheadAttention(int64_t extent,
                     int64_t heads,
                     const MultiheadOptions& options = {},
                     Where where = Where::current());

  /// Of x with itself: f32[..., l, e] gives f32[..., l, e].
  Tensor forward(const Tensor& x) override;
  /// query f32[..., l, e], key and value f32[..., s, e] give f32[..., l, e]. The mask is that of
  /// AttentionOptions and broadcasts to f32[..., heads, l, s].
  Tensor attend(const Tensor& query,
                const Tensor& key,
                const Tensor& value,
                const Tensor& mask = {},
                Where where = Where::current());

 private:
  int64_t extent_;
  int64_t heads_;
  MultiheadOptions options_;
  std::shared_ptr<Linear> query_;  // shared with the list of children, as the following
  std::shared_ptr<Linear> key_;
  std::shared_ptr<Linear> value_;
  std::shared_ptr<Linear> out_;
};

}  // namespace wick::nn
