#include "wick/nn/embedding.h"

#include <fmt/format.h>

#include "wick/ir/error.h"
#include "wick/nn/functional/embedding.h"

namespace wick::nn {

Embedding::Embedding(int64_t count,
                     int64_t extent,
                     std::optional<int64_t> padding_index,
                     Where where)
    : padding_index_(padding_index) {
  Tensor rows = randn({count, extent}, DType::f32, default_generator(), where);
  if (padding_index) {
    if (*padding_index < 0 || *padding_index >= count) {
      constexpr auto kText = "padding_index {} must be one of the {} rows";
      throw Error(where, "embedding", fmt::format(kText, *padding_index, count));
    }
    const Tensor numbers = reshape(arange(count, DType::i64, where), {count, 1}, where);
    rows = wick::where(Operand(numbers, where) == *padding_index, Operand(0, where), rows);
  }
  weight_ = register_parameter("weight", rows, where);
}

Tensor Embedding::forward(const Tensor& indices) {
  return embedding(indices, weight_, padding_index_, call_site());
}

}  // namespace wick::nn
