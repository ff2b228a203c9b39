// Blocks of the operands are copied in the order in which tiles read them, after Goto and van de
// Geijn, "Anatomy of High-Performance Matrix Multiplication" (2008): a panel of the right operand
// stays in the first-level cache while all of a block of the left operand, in the second-level one,
// is multiplied with it.

#include "wick/runtime/tiled_gemm.h"

#include <algorithm>
#include <array>
#include <utility>

#include "wick/runtime/division.h"
#include "wick/runtime/host_cpu.h"
#include "wick/runtime/register_tile.h"
#include "wick/runtime/stored_matrix.h"
#include "wick/runtime/transpose_lanes.h"

namespace wick::runtime {
namespace {

/// What the registers hold, 16 of 8 lanes or 32 of 16: the sums, a row of columns and a factor.
constexpr int64_t kRows = kLanes == 16 ? 14 : 6;
constexpr int64_t kVectors = 2;
constexpr int64_t kColumns = kVectors * kLanes;

constexpr int64_t kSteps = RegisterTile<kRows, kVectors>::kSteps;  // from call to call of Ahead

constexpr int64_t kMostDepth = kLanes == 16 ? 512 : 448;  // of blocks

/// Panels are a line of the cache longer than they need be: neighbours do not meet in it, and a
/// whole vector may be stored where a row of 6 or 14 ends.
constexpr int64_t kGap = 16;

/// Elements of a panel of kSide rows of the left operand, or columns of the right one.
template <int64_t kSide>
constexpr int64_t panel(int64_t depth) {
  return depth * kSide + kGap;
}

/// kSide rows become columns: element i of row r goes to to[i * kSide + r]. Of 6 rows each store
/// of 8 elements, of 14 each of 16, reaches into the next one's place, which is written after it.
template <int64_t kSide>
WICK_VECTORS void interleave_rows(StoredMatrix from, int64_t depth, float* to) {
  static_assert(kSide <= kLanes || kSide % kLanes == 0);
  constexpr int64_t kVectorsAhead = 4;  // asked for: these are more rows than the hardware follows
  int64_t i = 0;
  for (; i + kLanes <= depth; i += kLanes) {
    for (int64_t first = 0; first < kSide; first += kLanes) {
      Floats rows[kLanes] = {};
      for (int64_t r = 0; r < std::min(kLanes, kSide - first); ++r) {
        const float* row = from.data + (first + r) * from.stride + i;
        rows[r] = load(row);
        __builtin_prefetch(row + kVectorsAhead * kLanes);
      }
      transpose(rows);
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
void interleave_few_rows(
    StoredMatrix from, int64_t rows, int64_t depth, int64_t panel_rows, float* to) {
  for (int64_t i = 0; i < depth; ++i) {
    for (int64_t r = 0; r < panel_rows; ++r)
      to[i * panel_rows + r] = r < rows ? from.data[r * from.stride + i] : 0;
  }
}

/// Panels of an operand that is stored with a row for each row, or column, of the panels.
template <int64_t kSide>
void pack_rows(StoredMatrix from, int64_t extent, int64_t depth, float* to) {
  for (int64_t first = 0; first < extent; first += kSide, to += panel<kSide>(depth)) {
    const StoredMatrix rows = from.at(first, 0);
    if (extent - first >= kSide) {
      interleave_rows<kSide>(rows, depth, to);
    } else {
      interleave_few_rows(rows, extent - first, depth, kSide, to);
    }
  }
}

/// A row of a panel: whole vectors, or two halves of one that overlap.
template <int64_t kSide>
WICK_INLINE_VECTORS void copy_piece(const float* from, float* to) {
  if constexpr (kSide % kLanes == 0) {
    for (int64_t at = 0; at < kSide; at += kLanes)
      store(to + at, load(from + at));
  } else {
    constexpr int64_t kHalf = kLanes / 2;
    static_assert(kHalf < kSide && kSide < kLanes);
    using Half [[gnu::vector_size(kHalf * sizeof(float))]] = float;
    const auto first = load<Half>(from);
    const auto last = load<Half>(from + kSide - kHalf);
    store(to, first);
    store(to + kSide - kHalf, last);
  }
}

/// Asked for of an operand of which pieces of rows are read: the hardware does not follow to the
/// next row. Many of them, whole pages apart, would meet in the cache.
constexpr int64_t kRowsAhead = 8;

/// Panels of an operand that is stored with a row for each i < depth, whose pieces are copied.
template <int64_t kSide>
WICK_VECTORS void copy_pieces(StoredMatrix from, int64_t extent, int64_t depth, float* to) {
  const int64_t next = panel<kSide>(depth);
  for (int64_t i = 0; i < depth; ++i) {
    const float* row = from.data + i * from.stride;
    float* place = to + i * kSide;
    int64_t at = 0;
    for (; at + kSide <= extent; at += kSide, place += next) {
      for (int64_t line = 0; line < kSide; line += kLanes)
        __builtin_prefetch(row + kRowsAhead * from.stride + at + line);
      copy_piece<kSide>(row + at, place);
    }
    if (at == extent) continue;
    for (int64_t r = 0; r < kSide; ++r)
      place[r] = at + r < extent ? row[at + r] : 0;
  }
}

/// A few panels at a time: each is another page to write to.
template <int64_t kSide>
void pack_columns(StoredMatrix from, int64_t extent, int64_t depth, float* to) {
  constexpr int64_t kPanels = 8;
  constexpr int64_t kStep = kPanels * kSide;
  for (int64_t at = 0; at < extent; at += kStep, to += kPanels * panel<kSide>(depth))
    copy_pieces<kSide>(from.at(0, at), std::min(kStep, extent - at), depth, to);
}

/// A panel of the left operand.
struct PackedRows {
  const float* data;

  WICK_INLINE_VECTORS float operator()(int64_t i, int64_t row) const {
    return data[i * kRows + row];
  }
};

struct PackedColumns {
  const float* data;

  WICK_INLINE_VECTORS const float* operator()(int64_t i) const { return data + i * kColumns; }
};

/// A panel of the right operand where it is stored, packed while it is multiplied: there is time
/// for loads and stores beside the multiplications, none for a pass of their own.
struct ColumnsToPack {
  /// Kept in registers: loaded again behind the stores, few rows take 1.01 to 1.03 of the time.
  struct Row {
    Floats vectors[kVectors];
  };

  StoredMatrix stored;
  float* packed;

  WICK_INLINE_VECTORS Row operator()(int64_t i) const {
    const float* from = stored.data + i * stored.stride;
    ask_for<false>(from + kRowsAhead * stored.stride, kColumns);
    Row row;
#pragma GCC unroll 2
    for (int64_t v = 0; v < kVectors; ++v)
      row.vectors[v] = load(from + v * kLanes);
#pragma GCC unroll 2
    for (int64_t v = 0; v < kVectors; ++v)
      store(packed + i * kColumns + v * kLanes, row.vectors[v]);
    return row;
  }
};

template <int64_t kWidth>
WICK_INLINE_VECTORS Floats vector_at(const ColumnsToPack::Row& row, int64_t v) {
  return row.vectors[v];
}

/// Part of an operand as it is stored.
struct Block {
  StoredMatrix at{};
  int64_t rows = 0;
  int64_t columns = 0;
};

/// Asks for a block, so many lines a call.
class BlockAhead {
 public:
  /// Within so many calls.
  BlockAhead(Block block, int64_t calls)
      : at_(block.at.data),
        row_end_(at_ + block.columns),
        stride_(block.at.stride),
        columns_(block.columns),
        rows_left_(block.rows),
        lines_(ceil_div(block.rows * ceil_div(block.columns, kLine), calls)) {}

  WICK_INLINE_VECTORS void operator()() {
    for (int64_t i = 0; i < lines_ && rows_left_ > 0; ++i) {
      __builtin_prefetch(at_, 0, 2);
      at_ += kLine;
      if (at_ < row_end_) continue;
      row_end_ += stride_;
      at_ = row_end_ - columns_;
      --rows_left_;
    }
  }

 private:
  static constexpr int64_t kLine = 16;  // elements

  const float* at_;
  const float* row_end_;
  int64_t stride_;
  int64_t columns_;
  int64_t rows_left_;
  int64_t lines_;  // a call
};

/// Asks for what follows the tiles that are multiplied meanwhile, so that it is in the second-level
/// cache then: the block that is packed next, and the next panel of the right operand.
struct Ahead {
  BlockAhead& block;
  BlockAhead panel;

  WICK_INLINE_VECTORS void operator()() {
    block();
    panel();
  }
};

struct Output {
  float* data;
  int64_t stride;
  bool adds;
};

struct OutputAhead {
  const Output& out;

  WICK_INLINE_VECTORS void operator()(int64_t row) const {
    ask_for<true>(out.data + row * out.stride, kColumns);
  }
};

template <int64_t kHeight, int64_t kWidth, class Left, class Right>
WICK_VECTORS void whole_tile(
    Left left, Right right, int64_t depth, const Output& out, Ahead& ahead) {
  RegisterTile<kHeight, kWidth> tile;
  tile.multiply(depth, left, right, OutputAhead{out}, ahead);
  tile.store_to(out.data, out.stride, out.adds);
}

template <int64_t kWidth, class Left>
void tile_of_rows(
    int64_t rows, Left left, PackedColumns right, int64_t depth, const Output& out, Ahead& ahead) {
  using Tile = void(Left, PackedColumns, int64_t, const Output&, Ahead&);
  static constexpr auto kTiles = []<int64_t... kLess>(std::integer_sequence<int64_t, kLess...>) {
    return std::array<Tile*, kRows>{whole_tile<kLess + 1, kWidth, Left, PackedColumns>...};
  }(std::make_integer_sequence<int64_t, kRows>());
  kTiles[static_cast<size_t>(rows - 1)](left, right, depth, out, ahead);
}

/// A tile that perhaps reaches beyond the last column.
template <class Left>
void multiply_tile(int64_t rows,
                   int64_t columns,
                   Left left,
                   PackedColumns right,
                   int64_t depth,
                   const Output& out,
                   Ahead& ahead) {
  if (columns >= kColumns) return tile_of_rows<kVectors>(rows, left, right, depth, out, ahead);
  float whole[kRows * kColumns];
  const Output apart{whole, kColumns, /*adds=*/false};
  if (columns > kLanes) {
    tile_of_rows<kVectors>(rows, left, right, depth, apart, ahead);
  } else {
    tile_of_rows<1>(rows, left, right, depth, apart, ahead);
  }
  for (int64_t r = 0; r < rows; ++r) {
    for (int64_t column = 0; column < columns; ++column) {
      float& to = out.data[r * out.stride + column];
      to = out.adds ? to + whole[r * kColumns + column] : whole[r * kColumns + column];
    }
  }
}

/// How a product is cut: into blocks of the left operand, rows by depth, and of the right one,
/// depth by columns. As few as possible along k, all about as deep.
struct Blocking {
  int64_t depth;
  int64_t rows;
  int64_t columns;
};

/// Of few rows all are in one block, beside which the core's own cache has room for a few columns
/// of the right operand: these are copied just before they are multiplied. Of many, a block takes a
/// third of that cache: the rest is for what passes through, and for the rows that are copied next.
Blocking blocking(int64_t m, int64_t k) {
  constexpr int64_t kFewColumns = 64;
  constexpr int64_t kManyColumns = 2048;
  const int64_t blocks = std::max<int64_t>(1, ceil_div(k, kMostDepth));
  const int64_t depth = whole_vectors(ceil_div(k, blocks));
  const int64_t panel_bytes = depth * kRows * static_cast<int64_t>(sizeof(float));
  const int64_t panels_in_cache = core_cache_bytes() / panel_bytes;
  if (ceil_div(m, kRows) <= panels_in_cache * 5 / 8) return {depth, m, kFewColumns};
  return {depth, std::max<int64_t>(1, panels_in_cache / 3) * kRows, kManyColumns};
}

struct Range {
  int64_t begin;
  int64_t size;
};

int64_t left_scratch(int64_t m, const Blocking& blocks) {
  return ceil_div(std::min(m, blocks.rows), kRows) * panel<kRows>(blocks.depth);
}

/// Calls body(range) for ranges of at most `step`.
template <class Body>
void for_each_block(int64_t extent, int64_t step, Body body) {
  for (int64_t begin = 0; begin < extent; begin += step)
    body(Range{begin, std::min(step, extent - begin)});
}

class Product {
 public:
  Product(const GemmArgs<float>& args, float* scratch)
      : args_(args),
        lhs_{args.lhs, args.lhs_stride},
        rhs_{args.rhs, args.rhs_stride},
        packs_left_(args.transpose_lhs == 'T' || args.n > kFewColumns),
        packs_right_on_the_way_(args.transpose_rhs != 'T' && args.m >= kRows),
        blocks_(blocking(args.m, args.k)),
        left_(scratch),
        right_(scratch + left_scratch(args.m, blocks_)) {}

  void run() const {
    for_each_block(args_.k, blocks_.depth, [&](Range depth) {
      for_each_block(args_.n, blocks_.columns, [&](Range columns) {
        pack_right(columns, depth);
        for_each_block(args_.m, blocks_.rows, [&](Range rows) {
          const bool is_packed = rows.size == args_.m && columns.begin > 0;
          if (packs_left_ && !is_packed) pack_left(rows, depth);
          multiply_blocks(depth, rows, columns);
        });
      });
    });
  }

 private:
  /// Copying rows that meet fewer takes longer than it saves.
  static constexpr int64_t kFewColumns = 256;

  [[nodiscard]] Block right_block(Range columns, Range depth) const {
    return args_.transpose_rhs == 'T'
               ? Block{rhs_.at(columns.begin, depth.begin), columns.size, depth.size}
               : Block{rhs_.at(depth.begin, columns.begin), depth.size, columns.size};
  }

  [[nodiscard]] Block left_block(Range rows, Range depth) const {
    return args_.transpose_lhs == 'T'
               ? Block{lhs_.at(depth.begin, rows.begin), depth.size, rows.size}
               : Block{lhs_.at(rows.begin, depth.begin), rows.size, depth.size};
  }

  /// All that is not packed on the way.
  void pack_right(Range columns, Range depth) const {
    const int64_t first = packs_right_on_the_way_ ? columns.size / kColumns * kColumns : 0;
    const Range rest{columns.begin + first, columns.size - first};
    const Block block = right_block(rest, depth);
    float* const to = right_panel(first, depth.size);
    args_.transpose_rhs == 'T' ? pack_rows<kColumns>(block.at, rest.size, depth.size, to)
                               : pack_columns<kColumns>(block.at, rest.size, depth.size, to);
  }

  /// Of a block, the panel that begins with this column of it.
  [[nodiscard]] float* right_panel(int64_t column, int64_t depth) const {
    return right_ + column / kColumns * panel<kColumns>(depth);
  }

  void pack_left(Range rows, Range depth) const {
    const Block block = left_block(rows, depth);
    args_.transpose_lhs == 'T' ? pack_columns<kRows>(block.at, rows.size, depth.size, left_)
                               : pack_rows<kRows>(block.at, rows.size, depth.size, left_);
  }

  /// What is packed next.
  [[nodiscard]] Block next_block(Range depth, Range columns, Range rows) const {
    const auto behind = [](Range range, int64_t extent) {
      return Range{range.begin + range.size,
                   std::min(range.size, extent - range.begin - range.size)};
    };
    const Range next_rows = behind(rows, args_.m);
    if (next_rows.size > 0) return left_block(next_rows, depth);
    const Range next_columns = behind(columns, args_.n);
    if (next_columns.size > 0) return right_block(next_columns, depth);
    const Range next_depth = behind(depth, args_.k);
    if (next_depth.size > 0)
      return right_block({0, std::min(args_.n, blocks_.columns)}, next_depth);
    return {};
  }

  void multiply_blocks(Range depth, Range rows, Range columns) const {
    const int64_t calls = ceil_div(rows.size, kRows) * ceil_div(depth.size, kSteps);
    const int64_t panels = ceil_div(columns.size, kColumns);
    BlockAhead block(next_block(depth, columns, rows), calls * panels);
    const bool packs_right = packs_right_on_the_way_ && rows.begin == 0;
    for_each_block(columns.size, kColumns, [&](Range across) {
      float* const packed = right_panel(across.begin, depth.size);
      const StoredMatrix stored = rhs_.at(depth.begin, columns.begin + across.begin);
      const bool is_last = across.begin + kColumns >= columns.size;
      const StoredMatrix next =
          packs_right ? stored.at(0, kColumns)
                      : StoredMatrix{right_panel(across.begin + kColumns, depth.size), kColumns};
      Ahead ahead{block, BlockAhead({next, is_last ? 0 : depth.size, kColumns}, calls)};
      for_each_block(rows.size, kRows, [&](Range down) {
        const int64_t row = rows.begin + down.begin;
        const Output out{args_.out + row * args_.out_stride + columns.begin + across.begin,
                         args_.out_stride,
                         args_.adds || depth.begin > 0};
        const bool packs = packs_right && down.begin == 0 && across.size == kColumns;
        const auto multiply_with = [&](auto left) {
          if (packs) {
            whole_tile<kRows, kVectors>(
                left, ColumnsToPack{stored, packed}, depth.size, out, ahead);
          } else {
            multiply_tile(
                down.size, across.size, left, PackedColumns{packed}, depth.size, out, ahead);
          }
        };
        if (packs_left_) {
          multiply_with(PackedRows{left_ + down.begin / kRows * panel<kRows>(depth.size)});
        } else {
          multiply_with(RowsInPlace{lhs_.at(row, depth.begin)});
        }
      });
    });
  }

  const GemmArgs<float>& args_;
  StoredMatrix lhs_;
  StoredMatrix rhs_;
  bool packs_left_;
  bool packs_right_on_the_way_;
  Blocking blocks_;
  float* left_;  // panels of a block
  float* right_;
};

int64_t scratch_elements(int64_t m, int64_t n, int64_t k) {
  const Blocking blocks = blocking(m, k);
  return left_scratch(m, blocks) +
         ceil_div(std::min(n, blocks.columns), kColumns) * panel<kColumns>(blocks.depth);
}

void multiply(const GemmArgs<float>& args, float* scratch) {
  Product(args, scratch).run();
}

}  // namespace

template <>
const TiledGemm& tiled_gemm<kLanes>() {
  static constexpr TiledGemm gemm{
      .rows = kRows, .columns = kColumns, .scratch = scratch_elements, .multiply = multiply};
  return gemm;
}

}  // namespace wick::runtime
