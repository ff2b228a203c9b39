#pragma once

// Which dtype an op computes in when its operands differ.

#include <source_location>
#include <span>
#include <vector>

#include "wick/tensor/tensor.h"

namespace wick {

/// The dtype that holds values of both: bool < u8, i8, i16, i32, i64 < f16, bf16 < f32 < f64, where
/// u8 with i8 gives i16, f16 with bf16 gives f32, and an integer takes the dtype of the float
/// beside it. Ranks play no part.
DType promote_types(DType a, DType b);

namespace detail {

/// What a C++ number makes of the tensor beside it: fractions make f32 of integers and bools, and
/// any number makes i64 of bools.
DType dtype_beside_number(DType dtype, const Operand& number);

/// The tensors, cast where needed to the dtype that they promote to.
std::vector<Tensor> promoted(std::string_view op,
                             std::span<const Tensor> tensors,
                             std::source_location where);

}  // namespace detail
}  // namespace wick
