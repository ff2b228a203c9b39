#include "wick/nn/functional/attention.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include <fmt/format.h>

#include "wick/ir/error.h"
#include "wick/nn/functional/operands.h"
#include "wick/tensor/random.h"

namespace wick::nn {

namespace {

constexpr const char* kOp = "scaled_dot_product_attention";

void require_operands(const Tensor& query, const Tensor& key, const Tensor& value, Where where) {
  detail::require_float(kOp, "query", query, where);
  detail::require_float(kOp, "key", key, where);
  detail::require_float(kOp, "value", value, where);
  const bool fits = query.ndim() >= 2 && key.ndim() >= 2 && value.ndim() >= 2 &&
                    query.shape()[query.ndim() - 1] == key.shape()[key.ndim() - 1] &&
                    key.shape()[key.ndim() - 2] == value.shape()[value.ndim() - 2];
  if (fits) return;
  throw Error(
      where,
      kOp,
      fmt::format("query must be [...,l,e], key [...,s,e] and value [...,s,v]: query {}, key "
                  "{}, value {}",
                  to_string(query.type()),
                  to_string(key.type()),
                  to_string(value.type())));
}

/// That the last two axes broadcast to those of the scores, so that blocks may take parts of them.
void require_mask(const Tensor& mask, const Tensor& query, const Tensor& key, Where where) {
  const auto fits = [&](int axis, int64_t extent) {
    return mask.ndim() < -axis || mask.shape()[mask.ndim() + axis] == 1 ||
           mask.shape()[mask.ndim() + axis] == extent;
  };
  const int64_t queries = query.shape()[query.ndim() - 2];
  const int64_t keys = key.shape()[key.ndim() - 2];
  if (!mask.defined() || (fits(-2, queries) && fits(-1, keys))) return;
  throw Error(
      where,
      kOp,
      fmt::format("mask must broadcast to the scores [...,{},{}]: mask {}, query {}, key {}",
                  queries,
                  keys,
                  to_string(mask.type()),
                  to_string(query.type()),
                  to_string(key.type())));
}

/// How many heads of the query share one of the key; 1 where they are as many or broadcast.
int64_t heads_per_key(const Tensor& query, const Tensor& key, const Tensor& value) {
  if (query.ndim() < 3 || key.ndim() != query.ndim() || value.ndim() != query.ndim()) return 1;
  const int axis = query.ndim() - 3;
  const int64_t shared = key.shape()[axis];
  if (shared != value.shape()[axis] || shared < 2 || query.shape()[axis] % shared != 0) return 1;
  return query.shape()[axis] / shared;
}

/// Splits the axis of the heads in groups of `count`.
Tensor split_heads(const Tensor& x, int64_t count, Where where) {
  std::vector<int64_t> extents(x.shape().begin(), x.shape().end());
  const auto at = extents.end() - 3;
  *at /= count;
  extents.insert(at + 1, count);
  return reshape(x, Shape(std::span<const int64_t>(extents)), where);
}

Tensor join_heads(const Tensor& x, Where where) {
  return flatten(x, -4, -3, where);
}

Tensor masked(const Tensor& scores, const Tensor& mask, Where where) {
  constexpr double kNever = -std::numeric_limits<double>::infinity();
  if (mask.dtype() == DType::bool_) return wick::where(mask, scores, Operand(kNever, where));
  return Operand(scores, where) + detail::to_compute_dtype(mask, where);
}

/// bool[l,s]: key j is not behind query i, the first of which has `first` others before it.
Tensor causal_mask(int64_t first, int64_t queries, int64_t keys, Where where) {
  const Tensor rows = reshape(arange(queries, DType::i64, where), {queries, 1}, where);
  return Operand(arange(keys, DType::i64, where), where) <= Operand(rows, where) + first;
}

/// Elements begin to end of an axis, counted from the last; all of them where x has none or one.
Tensor part_of(const Tensor& x, int axis, int64_t begin, int64_t end, Where where) {
  if (!x.defined() || x.ndim() < -axis || x.shape()[x.ndim() + axis] == 1) return x;
  return slice(x, axis, begin, end, 1, where);
}

/// Of queries that have `first` others before them.
Tensor attend(const Tensor& query,
              const Tensor& key,
              const Tensor& value,
              int64_t first,
              const AttentionOptions& options,
              Where where) {
  const auto extent = static_cast<double>(query.shape()[query.ndim() - 1]);
  const double scale = options.scale.value_or(1 / std::sqrt(extent));
  const Tensor scaled = Operand(query, where) * scale;
  Tensor scores = matmul(scaled, transpose(key, -1, -2, where), where);
  scores = detail::to_compute_dtype(scores, where);
  if (options.is_causal) {
    const int64_t queries = query.shape()[query.ndim() - 2];
    const int64_t keys = key.shape()[key.ndim() - 2];
    scores = masked(scores, causal_mask(first, queries, keys, where), where);
  }
  if (options.mask.defined()) scores = masked(scores, options.mask, where);
  Tensor weights = softmax(scores, -1, where);
  if (options.dropout > 0) weights = dropout(weights, options.dropout, default_generator(), where);
  return matmul(cast(weights, value.dtype(), where), value, where);
}

/// Blocks of queries, each with the keys that its last one may look at: four of them save three
/// eighths of the scores. Below kLeastQueries in each, what a block costs is more than it saves.
int64_t queries_per_block(int64_t queries) {
  constexpr int64_t kMostBlocks = 4;
  constexpr int64_t kLeastQueries = 128;
  constexpr int64_t kLine = 16;  // elements of f32: rows of scores end at whole ones
  const int64_t blocks = std::clamp<int64_t>(queries / kLeastQueries, 1, kMostBlocks);
  const int64_t lines = (queries + blocks * kLine - 1) / (blocks * kLine);
  return std::max<int64_t>(lines, 1) * kLine;
}

Tensor attend_in_blocks(const Tensor& query,
                        const Tensor& key,
                        const Tensor& value,
                        const AttentionOptions& options,
                        Where where) {
  const int64_t queries = query.shape()[query.ndim() - 2];
  const int64_t keys = key.shape()[key.ndim() - 2];
  const int64_t step = queries_per_block(queries);
  if (!options.is_causal || step >= queries) return attend(query, key, value, 0, options, where);
  std::vector<Tensor> blocks;
  for (int64_t begin = 0; begin < queries; begin += step) {
    const int64_t end = std::min(begin + step, queries);
    const int64_t seen = std::min(end, keys);
    AttentionOptions block = options;
    block.mask = part_of(part_of(options.mask, -2, begin, end, where), -1, 0, seen, where);
    blocks.push_back(attend(slice(query, -2, begin, end, 1, where),
                            slice(key, -2, 0, seen, 1, where),
                            slice(value, -2, 0, seen, 1, where),
                            begin,
                            block,
                            where));
  }
  return concat(blocks, -2, where);
}

}  // namespace

Tensor scaled_dot_product_attention(const Tensor& query,
                                    const Tensor& key,
                                    const Tensor& value,
                                    const AttentionOptions& options,
                                    Where where) {
  require_operands(query, key, value, where);
  require_mask(options.mask, query, key, where);
  const int64_t group = heads_per_key(query, key, value);
  if (group > 1) {
    AttentionOptions grouped = options;
    if (options.mask.defined() && options.mask.ndim() > 2) {
      const bool has_heads = options.mask.shape()[options.mask.ndim() - 3] != 1;
      grouped.mask =
          has_heads ? split_heads(options.mask, group, where) : unsqueeze(options.mask, -3, where);
    }
    return join_heads(scaled_dot_product_attention(split_heads(query, group, where),
                                                   unsqueeze(key, -3, where),
                                                   unsqueeze(value, -3, where),
                                                   grouped,
                                                   where),
                      where);
  }
  return attend_in_blocks(query, key, value, options, where);
}

}  // namespace wick::nn
