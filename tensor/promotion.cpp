#include "wick/tensor/promotion.h"

#include <algorithm>

#include <fmt/format.h>

#include "wick/tensor/ops.h"

namespace wick {

DType promote_types(DType a, DType b) {
  if (a == b) return a;
  if (is_float(a) != is_float(b)) return is_float(a) ? a : b;
  if (is_float(a)) {
    if (a == DType::f64 || b == DType::f64) return DType::f64;
    return DType::f32;  // f32 with a half type, or the two half types
  }
  if (a == DType::bool_ || b == DType::bool_) return a == DType::bool_ ? b : a;
  const DType wider = size_of(a) >= size_of(b) ? a : b;
  // Only u8 and i8 are equally wide: each lacks numbers of the other.
  return size_of(a) == size_of(b) ? DType::i16 : wider;
}

namespace detail {

DType dtype_beside_number(DType dtype, const Operand& number) {
  if (is_float(dtype)) return dtype;
  if (!number.is_integer) return DType::f32;
  return dtype == DType::bool_ ? DType::i64 : dtype;
}

std::vector<Tensor> promoted(std::string_view op,
                             std::span<const Tensor> tensors,
                             std::source_location where) {
  std::vector<Tensor> result(tensors.begin(), tensors.end());
  for (size_t i = 0; i < result.size(); ++i) {
    if (result[i].defined()) continue;
    throw Error(where, op, fmt::format("operand {} is an undefined tensor", i + 1));
  }
  if (result.empty()) return result;
  DType dtype = result.front().dtype();
  for (const Tensor& tensor : result)
    dtype = promote_types(dtype, tensor.dtype());
  for (Tensor& tensor : result)
    tensor = cast(tensor, dtype, where);
  return result;
}

}  // namespace detail
}  // namespace wick
