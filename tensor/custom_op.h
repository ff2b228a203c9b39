#pragma once

// Ops registered from outside, as functions of tensors.

#include <initializer_list>
#include <source_location>
#include <span>
#include <string_view>

#include "wick/ir/attributes.h"
#include "wick/tensor/tensor.h"

namespace wick {

/// Records the op registered under `name` (wick/ir/custom_op.h). Error at the caller's line when
/// there is none, or operands or attributes do not fit. Its gradient is the one given to
/// register_custom_gradient (wick/autograd/custom_op_gradient.h).
Tensor custom_op(std::string_view name,
                 std::span<const Tensor> operands,
                 ir::Attributes attributes = {},
                 std::source_location where = std::source_location::current());
Tensor custom_op(std::string_view name,
                 std::initializer_list<Tensor> operands,
                 ir::Attributes attributes = {},
                 std::source_location where = std::source_location::current());

}  // namespace wick
