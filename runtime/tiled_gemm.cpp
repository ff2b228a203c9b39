// Blocks of the operands are copied in the order in which tiles read them, after Goto and van de
// Geijn, "Anatomy of High-Performance Matrix Multiplication" (2008): a panel of the right operand
// stays in the first-level cache while all of a block of the left operand, in the second-level one,
// is multiplied with it.

#include "wick/runtime/tiled_gemm.h"

#include <algorithm>

#include "wick/runtime/host_cpu.h"
#include "wick/runtime/register_tile.h"

namespace wick::runtime {
namespace {

constexpr int64_t kRows = kTileRows;
constexpr int64_t kColumns = kTileColumns;
constexpr int64_t kVectors = kColumns / kLanes;

constexpr int64_t kMostDepth = 448;  // of blocks: 28 KiB a panel of columns
constexpr int64_t kBlockColumns = 2048;

/// Panels are a line of the cache longer than they need be: neighbours do not meet in it, and a
/// whole vector may be stored where a row of 6 ends.
constexpr int64_t kGap = 16;

/// Elements of a panel of kSide rows of the left operand, or columns of the right one.
template <int64_t kSide>
constexpr int64_t panel(int64_t depth) {
  return depth * kSide + kGap;
}

constexpr int64_t count_panels(int64_t extent, int64_t panel) {
  return (extent + panel - 1) / panel;
}

/// An operand as it is stored: `stride` elements from row to row.
struct Stored {
  const float* data;
  int64_t stride;

  [[nodiscard]] Stored at(int64_t row, int64_t column) const {
    return {data + row * stride + column, stride};
  }
};

WICK_INLINE_VECTORS void transpose_8x8(Floats (&rows)[kLanes]) {
  Floats pairs[kLanes];
  for (int i = 0; i < 8; i += 2) {
    pairs[i] = __builtin_shufflevector(rows[i], rows[i + 1], 0, 8, 2, 10, 4, 12, 6, 14);
    pairs[i + 1] = __builtin_shufflevector(rows[i], rows[i + 1], 1, 9, 3, 11, 5, 13, 7, 15);
  }
  Floats fours[kLanes];
  for (int half = 0; half < 8; half += 4) {
    for (int i = half; i < half + 2; ++i) {
      fours[i] = __builtin_shufflevector(pairs[i], pairs[i + 2], 0, 1, 8, 9, 4, 5, 12, 13);
      fours[i + 2] = __builtin_shufflevector(pairs[i], pairs[i + 2], 2, 3, 10, 11, 6, 7, 14, 15);
    }
  }
  for (int i = 0; i < 4; ++i) {
    rows[i] = __builtin_shufflevector(fours[i], fours[i + 4], 0, 1, 2, 3, 8, 9, 10, 11);
    rows[i + 4] = __builtin_shufflevector(fours[i], fours[i + 4], 4, 5, 6, 7, 12, 13, 14, 15);
  }
}

/// kSide rows become columns: element i of row r goes to to[i * kSide + r]. Of 6 rows each store
/// of 8 elements reaches into the next one's place, which is written after it.
template <int64_t kSide>
WICK_VECTORS void interleave_rows(Stored from, int64_t depth, float* to) {
  static_assert(kSide <= kLanes || kSide % kLanes == 0);
  int64_t i = 0;
  for (; i + kLanes <= depth; i += kLanes) {
    for (int64_t first = 0; first < kSide; first += kLanes) {
      Floats rows[kLanes] = {};
      for (int64_t r = 0; r < std::min(kLanes, kSide - first); ++r)
        rows[r] = load(from.data + (first + r) * from.stride + i);
      transpose_8x8(rows);
      for (int64_t column = 0; column < kLanes; ++column)
        store(to + (i + column) * kSide + first, rows[column]);
    }
  }
  for (; i < depth; ++i) {
    for (int64_t r = 0; r < kSide; ++r)
      to[i * kSide + r] = from.data[r * from.stride + i];
  }
}

/// Of fewer rows than a panel has, the others are zeros.
void interleave_few_rows(Stored from, int64_t rows, int64_t depth, int64_t panel_rows, float* to) {
  for (int64_t i = 0; i < depth; ++i) {
    for (int64_t r = 0; r < panel_rows; ++r)
      to[i * panel_rows + r] = r < rows ? from.data[r * from.stride + i] : 0;
  }
}

/// Panels of an operand that is stored with a row for each row, or column, of the panels.
template <int64_t kSide>
void pack_rows(Stored from, int64_t extent, int64_t depth, float* to) {
  for (int64_t first = 0; first < extent; first += kSide, to += panel<kSide>(depth)) {
    const Stored rows = from.at(first, 0);
    if (extent - first >= kSide) {
      interleave_rows<kSide>(rows, depth, to);
    } else {
      interleave_few_rows(rows, extent - first, depth, kSide, to);
    }
  }
}

/// Panels of an operand that is stored with a row for each i < depth, whose pieces are copied. The
/// stores of whole vectors begin from the left: where they reach into the next place, that is
/// written later.
template <int64_t kSide>
WICK_VECTORS void pack_columns(Stored from, int64_t extent, int64_t depth, float* to) {
  const int64_t next = panel<kSide>(depth);
  const int64_t whole = extent / kSide * kSide;
  for (int64_t i = 0; i < depth; ++i) {
    const float* row = from.data + i * from.stride;
    float* place = to + i * kSide;
    int64_t at = 0;
    for (; at < whole && at + std::max(kSide, kLanes) <= extent; at += kSide, place += next) {
      for (int64_t first = 0; first < kSide; first += kLanes)
        store(place + first, load(row + at + first));
    }
    for (; at < extent; at += kSide, place += next) {
      for (int64_t r = 0; r < kSide; ++r)
        place[r] = at + r < extent ? row[at + r] : 0;
    }
  }
}

/// A panel of the left operand, or its rows where they are read as they lie.
struct PackedRows {
  const float* data;

  WICK_INLINE_VECTORS float operator()(int64_t i, int64_t row) const {
    return data[i * kRows + row];
  }
};

struct RowsInPlace {
  Stored rows;

  WICK_INLINE_VECTORS float operator()(int64_t i, int64_t row) const {
    return rows.data[row * rows.stride + i];
  }
};

struct PackedColumns {
  const float* data;

  WICK_INLINE_VECTORS const float* operator()(int64_t i) const { return data + i * kColumns; }
};

struct Output {
  float* data;
  int64_t stride;
  bool adds;
};

template <int64_t kHeight, class Left>
WICK_VECTORS void whole_tile(Left left, PackedColumns right, int64_t depth, Output out) {
  for (int64_t r = 0; r < kHeight; ++r) {  // asked for ahead
    __builtin_prefetch(out.data + r * out.stride, 1);
    __builtin_prefetch(out.data + r * out.stride + kColumns - 1, 1);
  }
  RegisterTile<kHeight, kVectors> tile;
  tile.multiply(depth, left, right);
  tile.store_to(out.data, out.stride, out.adds);
}

template <class Left>
void tile_of_rows(int64_t rows, Left left, PackedColumns right, int64_t depth, Output out) {
  switch (rows) {
    case 1:
      return whole_tile<1>(left, right, depth, out);
    case 2:
      return whole_tile<2>(left, right, depth, out);
    case 3:
      return whole_tile<3>(left, right, depth, out);
    case 4:
      return whole_tile<4>(left, right, depth, out);
    case 5:
      return whole_tile<5>(left, right, depth, out);
    default:
      return whole_tile<kRows>(left, right, depth, out);
  }
}

/// A tile that perhaps reaches beyond the last column.
template <class Left>
void multiply_tile(
    int64_t rows, int64_t columns, Left left, PackedColumns right, int64_t depth, Output out) {
  if (columns >= kColumns) return tile_of_rows(rows, left, right, depth, out);
  float whole[kRows * kColumns];
  tile_of_rows(rows, left, right, depth, {whole, kColumns, /*adds=*/false});
  for (int64_t r = 0; r < rows; ++r) {
    for (int64_t column = 0; column < columns; ++column) {
      float& to = out.data[r * out.stride + column];
      to = out.adds ? to + whole[r * kColumns + column] : whole[r * kColumns + column];
    }
  }
}

/// Of blocks, in places of k: as few as possible, all about as deep.
int64_t block_depth(int64_t k) {
  const int64_t blocks = std::max<int64_t>(1, (k + kMostDepth - 1) / kMostDepth);
  return ((k + blocks - 1) / blocks + kLanes - 1) / kLanes * kLanes;
}

/// Whose rows take half of a core's own cache, nearly: the rest is for what passes through.
int64_t block_rows(int64_t depth) {
  const int64_t fitting =
      core_cache_bytes() * 7 / 16 / (depth * static_cast<int64_t>(sizeof(float)));
  return std::max<int64_t>(1, fitting / kRows) * kRows;
}

struct Range {
  int64_t begin;
  int64_t size;
};

/// Copies a block into panels. `is_by_rows`: what the panels have side by side are stored rows.
template <int64_t kSide>
void pack(Stored operand, bool is_by_rows, Range side, Range depth, float* to) {
  if (is_by_rows) {
    pack_rows<kSide>(operand.at(side.begin, depth.begin), side.size, depth.size, to);
  } else {
    pack_columns<kSide>(operand.at(depth.begin, side.begin), side.size, depth.size, to);
  }
}

int64_t left_scratch(int64_t m, int64_t depth) {
  return count_panels(std::min(m, block_rows(depth)), kRows) * panel<kRows>(depth);
}

/// Calls body(range) for ranges of at most `step`.
template <class Body>
void for_each_block(int64_t extent, int64_t step, Body body) {
  for (int64_t begin = 0; begin < extent; begin += step)
    body(Range{begin, std::min(step, extent - begin)});
}

class TiledGemm {
 public:
  TiledGemm(const GemmArgs<float>& args, float* scratch)
      : args_(args),
        lhs_{args.lhs, args.lhs_stride},
        rhs_{args.rhs, args.rhs_stride},
        packs_left_(args.transpose_lhs == 'T' || args.n > kFewColumns),
        depth_(block_depth(args.k)),
        left_(scratch),
        right_(scratch + left_scratch(args.m, depth_)) {}

  void run() const {
    for_each_block(args_.k, depth_, [&](Range depth) {
      for_each_block(args_.n, kBlockColumns, [&](Range columns) {
        pack<kColumns>(rhs_, args_.transpose_rhs == 'T', columns, depth, right_);
        for_each_block(args_.m, block_rows(depth_), [&](Range rows) {
          if (packs_left_) pack<kRows>(lhs_, args_.transpose_lhs == 'N', rows, depth, left_);
          multiply_blocks(depth, rows, columns);
        });
      });
    });
  }

 private:
  /// Copying rows that meet fewer takes longer than it saves.
  static constexpr int64_t kFewColumns = 256;

  void multiply_blocks(Range depth, Range rows, Range columns) const {
    for_each_block(columns.size, kColumns, [&](Range across) {
      const PackedColumns right{right_ + across.begin / kColumns * panel<kColumns>(depth.size)};
      for_each_block(rows.size, kRows, [&](Range down) {
        const int64_t row = rows.begin + down.begin;
        const Output out{args_.out + row * args_.out_stride + columns.begin + across.begin,
                         args_.out_stride,
                         depth.begin > 0};
        if (packs_left_) {
          const PackedRows left{left_ + down.begin / kRows * panel<kRows>(depth.size)};
          multiply_tile(down.size, across.size, left, right, depth.size, out);
        } else {
          const RowsInPlace left{lhs_.at(row, depth.begin)};
          multiply_tile(down.size, across.size, left, right, depth.size, out);
        }
      });
    });
  }

  const GemmArgs<float>& args_;
  Stored lhs_;
  Stored rhs_;
  bool packs_left_;
  int64_t depth_;  // of blocks
  float* left_;    // panels of a block
  float* right_;
};

}  // namespace

int64_t tiled_gemm_scratch(int64_t m, int64_t n, int64_t k) {
  const int64_t depth = block_depth(k);
  return left_scratch(m, depth) +
         count_panels(std::min(n, kBlockColumns), kColumns) * panel<kColumns>(depth);
}

void tiled_gemm(const GemmArgs<float>& args, float* scratch) {
  TiledGemm(args, scratch).run();
}

}  // namespace wick::runtime
