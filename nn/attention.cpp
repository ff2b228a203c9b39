#include "wick/nn/attention.h"

#include <vector>

#include <fmt/format.h>

#include "wick/ir/error.h"
#include "wick/nn/functional/attention.h"

namespace wick::nn {

namespace {

constexpr const char* kOp = "multihead_attention";

/// f32[..., l, h d] gives f32[..., h, l, d].
Tensor split_heads(const Tensor& x, int64_t heads, Where where) {
  std::vector<int64_t> extents(x.shape().begin(), x.shape().end());
  extents.back() /= heads;
  extents.insert(extents.end() - 1, heads);
  return transpose(reshape(x, Shape(extents), where), -2, -3, where);
}

Tensor join_heads(const Tensor& x, Where where) {
  return flatten(transpose(x, -2, -3, where), -2, -1, where);
}

}  // namespace

MultiheadAttention::MultiheadAttention(int64_t extent,
                                       int64_t heads,
                                       const MultiheadOptions& options,
                                       Where where)
    : extent_(extent),
      heads_(heads),
      options_(options) {
  if (options_.key_value_heads == 0) options_.key_value_heads = heads;
  const int64_t shared = options_.key_value_heads;
  if (heads < 1 || shared < 1 || extent < 1 || extent % heads != 0 || heads % shared != 0) {
    constexpr auto kText = "an extent of {} and {} heads of queries, {} of keys, do not divide";
    throw Error(where, kOp, fmt::format(kText, extent, heads, shared));
  }
  const int64_t narrow = extent / heads * shared;
  const auto layer = [&](const char* name, int64_t out) {
    return register_module(name, Linear(extent, out, options.bias, where));
  };
  query_ = layer("q_proj", extent);
  key_ = layer("k_proj", narrow);
  value_ = layer("v_proj", narrow);
  out_ = layer("out_proj", extent);
}

Tensor MultiheadAttention::forward(const Tensor& x) {
  return attend(x, x, x, {}, call_site());
}

Tensor MultiheadAttention::attend(
    const Tensor& query, const Tensor& key, const Tensor& value, const Tensor& mask, Where where) {
  for (const Tensor* x : {&query, &key, &value}) {
    if (x->defined() && x->ndim() >= 2 && x->size(-1) == extent_) continue;
    const std::string given = x->defined() ? to_string(x->type()) : "undefined";
    constexpr auto kText = "query, key and value must be [...,l,{}], one is {}";
    throw Error(where, kOp, fmt::format(kText, extent_, given));
  }
  const Tensor q = split_heads((*query_)(query, where), heads_, where);
  const Tensor k = split_heads((*key_)(key, where), options_.key_value_heads, where);
  const Tensor v = split_heads((*value_)(value, where), options_.key_value_heads, where);
  const Tensor heads =
      scaled_dot_product_attention(q,
                                   k,
                                   v,
                                   {.mask = mask,
                                    .is_causal = options_.is_causal,
                                    .dropout = is_training() ? options_.dropout : 0},
                                   where);
  return (*out_)(join_heads(heads, where), where);
}

}  // namespace wick::nn
