#pragma once

#include "wick/ir/dtype.h"

namespace wick {

inline constexpr DType kAllDTypes[] = {DType::f32,
                                       DType::f64,
                                       DType::f16,
                                       DType::bf16,
                                       DType::i8,
                                       DType::i16,
                                       DType::i32,
                                       DType::i64,
                                       DType::u8,
                                       DType::bool_};

}  // namespace wick
