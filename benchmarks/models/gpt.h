#pragma once

// A character GPT (Radford et al., 2019): blocks that normalize first, one matrix for queries, keys
// and values, output weights tied to the embedding.

#include <memory>
#include <string>
#include <vector>

#include "wick/nn/nn.h"

namespace wick::bench {

struct GptOptions {
  int64_t vocabulary = 65;
  int64_t context = 256;
  int64_t width = 384;
  int64_t heads = 6;
  int64_t layers = 6;
  double dropout = 0;
};

/// x[b,t,d] -> x + attention(norm(x)), then x + mlp(norm(x)).
class GptBlock final : public nn::Module {
 public:
  explicit GptBlock(const GptOptions& options)
      : options_(options),
        attention_norm_(register_module("attention_norm", nn::LayerNorm({options.width}))),
        qkv_(register_module("qkv", nn::Linear(options.width, 3 * options.width))),
        projection_(register_module("projection", nn::Linear(options.width, options.width))),
        mlp_norm_(register_module("mlp_norm", nn::LayerNorm({options.width}))),
        mlp_(register_module("mlp",
                             nn::Sequential(nn::Linear(options.width, 4 * options.width),
                                            nn::GELU(nn::GELU::Form::tanh),
                                            nn::Linear(4 * options.width, options.width)))),
        dropout_(register_module("dropout", nn::Dropout(options.dropout))) {}

  Tensor forward(const Tensor& x) override {
    const Tensor h = x + (*dropout_)((*projection_)(attention((*attention_norm_)(x))));
    return h + (*dropout_)((*mlp_)((*mlp_norm_)(h)));
  }

 private:
  Tensor attention(const Tensor& x) {
    const Tensor qkv = (*qkv_)(x);
    const int64_t batch = x.size(0);
    const int64_t length = x.size(1);
    const auto heads = [&](int64_t which) {
      const Tensor part = slice(qkv, -1, which * options_.width, (which + 1) * options_.width);
      return transpose(reshape(part, {batch, length, options_.heads, -1}), 1, 2);
    };
    const Tensor mixed = nn::scaled_dot_product_attention(
        heads(0),
        heads(1),
        heads(2),
        {.is_causal = true, .dropout = is_training() ? options_.dropout : 0});
    return reshape(transpose(mixed, 1, 2), {batch, length, options_.width});
  }

  GptOptions options_;
  std::shared_ptr<nn::LayerNorm> attention_norm_;
  std::shared_ptr<nn::Linear> qkv_;
  std::shared_ptr<nn::Linear> projection_;
  std::shared_ptr<nn::LayerNorm> mlp_norm_;
  std::shared_ptr<nn::Sequential> mlp_;
  std::shared_ptr<nn::Dropout> dropout_;
};

/// Tokens [b,t] to logits [b*t, vocabulary].
class Gpt final : public nn::Module {
 public:
  explicit Gpt(const GptOptions& options)
      : options_(options),
        tokens_(register_module("tokens", nn::Embedding(options.vocabulary, options.width))),
        positions_(register_module("positions", nn::Embedding(options.context, options.width))),
        dropout_(register_module("dropout", nn::Dropout(options.dropout))),
        norm_(register_module("norm", nn::LayerNorm({options.width}))) {
    for (int64_t i = 0; i < options.layers; ++i)
      blocks_->append(std::make_unique<GptBlock>(options));
    for (const nn::Parameter& table : {tokens_->weight(), positions_->weight()})
      nn::Parameter(table).assign(nn::init::normal(table.shape(), 0, 0.02));
  }

  Tensor forward(const Tensor& ids) override {
    Tensor x = (*dropout_)((*tokens_)(ids) + positions_->weight().value());
    x = (*norm_)((*blocks_)(x));
    const Tensor rows = reshape(x, {-1, options_.width});
    return matmul(rows, transpose(tokens_->weight(), 0, 1));
  }

 private:
  GptOptions options_;
  std::shared_ptr<nn::Embedding> tokens_;
  std::shared_ptr<nn::Embedding> positions_;
  std::shared_ptr<nn::Dropout> dropout_;
  std::shared_ptr<nn::Sequential> blocks_ = register_module("blocks", nn::Sequential());
  std::shared_ptr<nn::LayerNorm> norm_;
};

}  // namespace wick::bench
