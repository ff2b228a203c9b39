#pragma once

// Copies between memory in which rows lie apart and memory of a kernel's own in which the elements
// of a column lie side by side. Lines are read and written whole and transposed in registers, where
// a gather touches a line for each element.

#include <compare>
#include <cstddef>
#include <cstdint>

#include "wick/codegen/llvm/emit_context.h"

namespace wick::codegen::llvm_jit {

/// some_into_columns: as many rows as a vector has lanes, of which those before a first and behind
/// a last one are read as these are; elements of four bytes.
enum class Transposing { into_columns, into_rows, some_into_columns };

struct TransposingCopy {
  size_t element_bytes = 0;
  Transposing direction = Transposing::into_columns;
  int64_t pitch = 0;          // elements from a column to the next one
  int64_t asked_columns = 0;  // of rows that will be read after these
  int64_t row_stride = 0;     // few elements, where that is known

  auto operator<=>(const TransposingCopy&) const = default;
};

/// A function of (rows' memory, elements from a row to the next one, columns' memory, number of
/// rows, number of columns). Elements may be copied twice, so the two may not overlap. Of some rows
/// it takes the first and the last one as well. One that asks for columns takes the memory of
/// other rows, as far apart, and whether to ask for it.
llvm::Function* make_transposing_copy(EmitContext& e, const TransposingCopy& copy);

}  // namespace wick::codegen::llvm_jit
