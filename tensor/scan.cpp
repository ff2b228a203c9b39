#include "wick/tensor/scan.h"

#include <string>

#include "wick/tensor/op_arguments.h"
#include "wick/tensor/recording.h"

namespace wick::detail {

using ir::OpKind;

Tensor scan(const Tensor& x, int axis, const char* kind, Where where) {
  return record_unary(
      OpKind::scan, x, where, share({{"axis", int64_t{axis}}, {"kind", std::string(kind)}}));
}

Tensor positions_along(const Shape& shape, int axis, Where where) {
  return record_nodes(
      OpKind::iota,
      {},
      share({{"axis", int64_t{axis}}, {"dtype", DType::i64}, {"shape", to_axes(shape)}}),
      where);
}

}  // namespace wick::detail
