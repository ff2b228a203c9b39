#pragma once

// What KernelEmitter knows of the loops that are open while it emits them.

#include <functional>
#include <optional>
#include <vector>

#include <llvm/ADT/ArrayRef.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/Value.h>

#include "wick/codegen/kernel_ir.h"
#include "wick/codegen/llvm/division.h"

namespace wick::codegen::llvm_jit {

using Values = llvm::SmallVector<llvm::Value*, 4>;
using Places = llvm::SmallVector<std::optional<int64_t>, 16>;  // of lanes, in elements

/// What an instruction computed: a scalar when it is uniform along the vector dimension, else a
/// vector; one for each copy of the unrolled body unless the copies agree.
struct Slot {
  Values copies;
  Values splats;                           // of uniform values that varying instructions use
  llvm::SmallVector<Divisor, 4> divisors;  // of values that many others are divided by
};

/// An address, or the affine part of an index when `buffer` is -1, as far as the loops that are
/// open decide it. Instructions of equal address share one.
struct Access {
  int buffer = -1;
  Affine address;
  llvm::Value* partial = nullptr;
};

struct Range {
  llvm::Value* begin = nullptr;
  llvm::Value* end = nullptr;
};

/// A vector that a row may not fill: where it begins, and the lanes that count.
struct RowEnd {
  llvm::Value* position = nullptr;
  llvm::Value* mask = nullptr;
};

/// A part of the vector loop and its stores past the caches.
using SectionBody = std::function<void(Range, llvm::ArrayRef<int>)>;

/// An accumulator of many columns, in memory.
struct Column {
  llvm::Value* memory = nullptr;
  llvm::Value* start = nullptr;  // a vector
};

/// What a transposing copy takes; the columns' memory has this stride.
struct StagedBlock {
  int64_t pitch = 1;  // elements from a column to the next one
  llvm::Value* rows = nullptr;
  llvm::Value* columns = nullptr;
};

/// A tile's rows on their way past the caches, in the order of memory.
struct TileLines {
  size_t access = 0;
  size_t bytes = 0;  // of an element
  llvm::Value* own = nullptr;
  llvm::Value* place = nullptr;
  llvm::Value* end = nullptr;  // bytes of the tile
};

/// Values that change with each open loop.
struct Scope {
  std::vector<Slot> slots;
  std::vector<llvm::Value*> partials;
  std::vector<llvm::Value*> positions;
};

}  // namespace wick::codegen::llvm_jit
