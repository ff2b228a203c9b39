#pragma once

// When a reduction is cut in blocks that run in parallel and are combined by a second launch. The
// fuse pass and lowering must agree on it; it depends on shapes and the kind of device alone, so
// that results do not depend on the number of threads.

#include <cstdint>

#include "wick/ir/index_map.h"
#include "wick/ir/op.h"

namespace wick::passes {

/// Elements that rows are cut in at least, where they are walked row by row: memory brings shorter
/// pieces slowly (5.1 ms instead of 3.9 for columns of [8192,4096] on two threads in eight pieces).
constexpr int64_t kPieceOfRow = 2048;

/// Of rows that are reduced down, so few that a vector across them would be nearly empty.
constexpr int64_t kFewColumns = 4;
constexpr int64_t kFewestRows = 64;  // of them that are worth it

/// Whether the last dimension is that short and the one before it, a long one, is reduced: a task
/// then walks down all columns at once. Not on GPUs.
bool has_few_columns(const ir::Domain& domain);

/// Blocks to cut the reduced positions in; 1: enough rows run in parallel, or too little work.
int64_t num_reduction_blocks(const ir::Domain& domain);

/// Blocks that let a reduction over axes on both sides of kept ones, such as that of channels over
/// images and pixels, read memory in its order; 1: it does so, or would gain nothing. For
/// reductions of which nothing else needs whole rows.
int64_t num_blocks_in_memory_order(const ir::Domain& domain);

/// Enough rows to give each to one task, as values behind a reduction need it: cutting rows in
/// blocks would be no great gain.
bool has_enough_rows(const ir::Domain& domain);

/// Whether a kernel that walks these rows, each whole, can also reduce over the rows: it adds what
/// it has of each row to partial results in memory, one for each column and block of rows.
bool can_take_columns(const ir::Domain& rows);

/// Rows that add to the same partial results, one after another.
int64_t rows_of_block(const ir::Domain& rows);

/// Partial results of this reduction combine by the same reduction.
bool splits_in_blocks(ir::OpKind op);

}  // namespace wick::passes
