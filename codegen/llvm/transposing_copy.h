#pragma once

// Copies between memory in which rows lie apart and memory of a kernel's own in which the elements
// of a column lie side by side. Lines are read and written whole and transposed in registers, where
// a gather touches a line for each element.

#include <cstddef>

#include "wick/codegen/llvm/emit_context.h"

namespace wick::codegen::llvm_jit {

/// some_into_columns: as many rows as a vector has lanes, of which those before a first and behind
/// a last one are read as these are; elements of four bytes.
enum class Transposing { into_columns, into_rows, some_into_columns };

/// A function of (rows' memory, its stride, columns' memory, its stride, number of rows, number of
/// columns), strides in elements of so many bytes. Elements may be copied twice, so the two may
/// not overlap. Of some rows it takes the first and the last one as well.
llvm::Function* make_transposing_copy(EmitContext& e, size_t element_bytes, Transposing direction);

}  // namespace wick::codegen::llvm_jit
