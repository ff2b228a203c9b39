#include "wick/nn/functional/embedding.h"

#include <string>

#include <fmt/format.h>

#include "wick/ir/error.h"
#include "wick/nn/functional/operands.h"

namespace wick::nn {

Tensor embedding(const Tensor& indices,
                 const Tensor& weight,
                 std::optional<int64_t> padding_index,
                 Where where) {
  detail::require_float("embedding", "weight", weight, where);
  if (weight.ndim() != 2 || !indices.defined() || !is_integer(indices.dtype())) {
    const std::string given = indices.defined() ? to_string(indices.type()) : "undefined";
    constexpr auto kText = "weight must be [n,d] and indices integers: weight {}, indices {}";
    throw Error(where, "embedding", fmt::format(kText, to_string(weight.type()), given));
  }
  const Tensor positions = cast(indices, DType::i64, where);
  const Tensor rows = take(weight, positions, 0, where);
  if (!padding_index.has_value()) return rows;
  const int64_t padding = *padding_index + (*padding_index < 0 ? weight.shape()[0] : 0);
  const Tensor is_padding = Operand(unsqueeze(positions, -1, where), where) == padding;
  return wick::where(is_padding, take(weight.detach(), positions, 0, where), rows);
}

}  // namespace wick::nn
