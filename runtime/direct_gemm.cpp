#include "wick/runtime/direct_gemm.h"

#include <algorithm>
#include <array>
#include <utility>

#include "wick/runtime/division.h"
#include "wick/runtime/dot_gemm.h"
#include "wick/runtime/even_parts.h"
#include "wick/runtime/register_tile.h"
#include "wick/runtime/some_lanes.h"
#include "wick/runtime/stored_matrix.h"
#include "wick/runtime/transpose_lanes.h"

namespace wick::runtime {
namespace {

/// Of a strip of columns or a tile, in vectors.
constexpr int64_t kMostVectors = 8;

/// Rows of a tile so many vectors wide: with its operands it fills the registers, 32 or 16 of them.
constexpr int64_t rows_of(int64_t vectors) {
  constexpr std::array<int64_t, kMostVectors> kOf16 = {16, 13, 8, 6, 4, 4, 3, 3};
  constexpr std::array<int64_t, kMostVectors> kOf8 = {12, 6, 4, 2, 2, 1, 1, 1};
  return (kLanes == 16 ? kOf16 : kOf8)[static_cast<size_t>(vectors - 1)];
}

/// The factors of rows of a tile, which are stored as columns.
struct ColumnsInPlace {
  StoredMatrix stored;

  WICK_INLINE_VECTORS float operator()(int64_t i, int64_t row) const {
    return stored.data[i * stored.stride + row];
  }

  [[nodiscard]] ColumnsInPlace at(int64_t row, int64_t i) const { return {stored.at(i, row)}; }

  WICK_INLINE_VECTORS void ask_for_row(int64_t /*row*/, int64_t /*depth*/) const {}
};

/// A row of columns, of whose last vector only some are there.
struct SomeColumns {
  const float* at;
  SomeLanes last;
};

template <int64_t kVectors>
WICK_INLINE_VECTORS Floats vector_at(const SomeColumns& row, int64_t v) {
  const float* at = row.at + v * kLanes;
  return v + 1 == kVectors ? row.last.load(at) : load(at);
}

/// Row i, and asks for the one that is needed some steps later: rows that are further apart than
/// they are long the hardware does not foresee.
template <int64_t kVectors>
WICK_INLINE_VECTORS const float* row_of(StoredMatrix stored, int64_t i) {
  constexpr int64_t kStepsAhead = 16;
  const float* row = stored.data + i * stored.stride;
  ask_for<false>(row + kStepsAhead * stored.stride, kVectors * kLanes);
  return row;
}

template <int64_t kVectors>
struct RowsOfSomeColumns {
  StoredMatrix stored;
  SomeLanes last;

  WICK_INLINE_VECTORS SomeColumns operator()(int64_t i) const {
    return {row_of<kVectors>(stored, i), last};
  }
};

template <int64_t kVectors>
struct RowsOfColumns {
  StoredMatrix stored;

  WICK_INLINE_VECTORS const float* operator()(int64_t i) const {
    return row_of<kVectors>(stored, i);
  }
};

/// Where sums go, added to what is there or not; transposed, their columns become rows.
struct Output {
  float* data;
  int64_t stride;
  bool transposes;
  bool adds;

  [[nodiscard]] Output at(int64_t row, int64_t column) const {
    Output part = *this;
    part.data += transposes ? column * stride + row : row * stride + column;
    return part;
  }
};

struct Size {
  int64_t rows;
  int64_t columns;
  int64_t depth;
};

template <int64_t kRows, int64_t kVectors>
WICK_INLINE_VECTORS void store_tile(const RegisterTile<kRows, kVectors>& tile,
                                    SomeLanes last,
                                    const Output& out) {
#pragma GCC unroll 16
  for (int64_t row = 0; row < kRows; ++row) {
    float* to = out.data + row * out.stride;
#pragma GCC unroll 16
    for (int64_t v = 0; v + 1 < kVectors; ++v, to += kLanes)
      store(to, out.adds ? load(to) + tile.sums[row][v] : tile.sums[row][v]);
    const Floats sums = tile.sums[row][kVectors - 1];
    last.store(to, out.adds ? last.load(to) + sums : sums);
  }
}

template <int64_t kRows, int64_t kVectors>
WICK_INLINE_VECTORS void store_transposed(const RegisterTile<kRows, kVectors>& tile,
                                          int64_t columns,
                                          const Output& out) {
#pragma GCC unroll 16
  for (int64_t first = 0; first < kRows; first += kLanes) {
    const SomeLanes some(std::min(kLanes, kRows - first));
#pragma GCC unroll 16
    for (int64_t v = 0; v < kVectors; ++v) {
      Floats square[kLanes];
#pragma GCC unroll 16
      for (int64_t row = 0; row < kLanes; ++row)
        square[row] = first + row < kRows ? tile.sums[first + row][v] : Floats{};
      transpose(square);
      float* to = out.data + v * kLanes * out.stride + first;
#pragma GCC unroll 16
      for (int64_t column = 0; column < kLanes; ++column, to += out.stride) {
        if (v * kLanes + column >= columns) break;
        some.store(to, out.adds ? some.load(to) + square[column] : square[column]);
      }
    }
  }
}

/// Asks for a row of the output, and for one of the left operand in the next tile.
template <class Left>
struct Ahead {
  const Output& out;
  int64_t columns;
  Left next;
  int64_t depth;

  WICK_INLINE_VECTORS void operator()(int64_t row) const {
    if (!out.transposes) ask_for<true>(out.data + row * out.stride, columns);
    next.ask_for_row(row, depth);
  }
};

template <int64_t kRows, int64_t kVectors, class Left>
WICK_VECTORS void multiply_tile(
    Left left, StoredMatrix right, int64_t depth, int64_t columns, const Output& out) {
  const int64_t of_last = columns - (kVectors - 1) * kLanes;
  const SomeLanes last(of_last);
  const Ahead<Left> ahead{out, columns, left.at(kRows, 0), depth};
  RegisterTile<kRows, kVectors> tile;
  if (of_last == kLanes) {
    tile.multiply(depth, left, RowsOfColumns<kVectors>{right}, ahead);
  } else {
    tile.multiply(depth, left, RowsOfSomeColumns<kVectors>{right, last}, ahead);
  }
  out.transposes ? store_transposed(tile, columns, out) : store_tile(tile, last, out);
}

/// All rows of a strip of columns, in tiles.
template <int64_t kVectors, class Left>
void multiply_strip(Size size, Left left, StoredMatrix right, const Output& out) {
  constexpr int64_t kRows = rows_of(kVectors);
  using Tile = void(Left, StoredMatrix, int64_t, int64_t, const Output&);
  static constexpr auto kTiles = []<int64_t... kLess>(std::integer_sequence<int64_t, kLess...>) {
    return std::array<Tile*, kRows>{multiply_tile<kLess + 1, kVectors, Left>...};
  }(std::make_integer_sequence<int64_t, kRows>());
  const EvenParts tiles(size.rows, kRows);
  for (int64_t i = 0; i < tiles.count(); ++i) {
    const int64_t row = tiles.begin(i);
    kTiles[static_cast<size_t>(tiles.size(i) - 1)](
        left.at(row, 0), right, size.depth, size.columns, out.at(row, 0));
  }
}

/// Of the strips of so many vectors of columns. Wide ones have the fewest loads for each
/// multiplication, but want registers: of a strip of one vector, every factor is loaded for a
/// single multiplication. Few rows leave registers for more, and with few summands the stores
/// matter, which like long rows.
int64_t widest_strip(int64_t vectors, int64_t rows, int64_t depth, int64_t most) {
  constexpr int64_t kFewSummands = 3;
  if (depth <= kFewSummands) return most;
  const int64_t no_single = vectors % 2 == 0 ? 2 : 3;
  int64_t widest = kLanes == 16 ? 4 : no_single;
  for (int64_t wider = widest + 1; wider <= most; ++wider) {
    if (rows <= rows_of(wider)) widest = wider;
  }
  return widest;
}

/// The right operand where it lies.
struct InPlace {
  static constexpr int64_t kWidest = kMostVectors;
  static constexpr int64_t kDepth = 512;  // of blocks of summands

  StoredMatrix stored;

  [[nodiscard]] StoredMatrix strip(int64_t begin, int64_t column, Size /*size*/) {
    return stored.at(begin, column);
  }
};

/// Strips of a transposed right operand, copied straight.
class StraightCopy {
 public:
  static constexpr int64_t kWidest = 4;
  static constexpr int64_t kDepth = 256;

  explicit StraightCopy(StoredMatrix stored) : stored_(stored) {}

  /// Summands from `begin`, columns from `column` on.
  [[nodiscard]] WICK_VECTORS StoredMatrix strip(int64_t begin, int64_t column, Size size) {
    for (int64_t first = 0; first < size.columns; first += kLanes) {
      const StoredMatrix from = stored_.at(column + first, begin);
      const int64_t rows = std::min(kLanes, size.columns - first);
      for (int64_t i = 0; i < size.depth; i += kLanes)
        copy_square(
            from.at(0, i), rows, std::min(kLanes, size.depth - i), copy_ + i * kWidth + first);
    }
    return {copy_, kWidth};
  }

 private:
  static constexpr int64_t kWidth = kWidest * kLanes;

  WICK_INLINE_VECTORS static void copy_square(StoredMatrix from,
                                              int64_t rows,
                                              int64_t columns,
                                              float* to) {
    const SomeLanes some(columns);
    Floats square[kLanes] = {};
#pragma GCC unroll 16
    for (int64_t row = 0; row < kLanes; ++row) {
      if (row < rows) square[row] = some.load(from.data + row * from.stride);
    }
    transpose(square);
#pragma GCC unroll 16
    for (int64_t row = 0; row < kLanes; ++row)
      store(to + row * kWidth, square[row]);
  }

  StoredMatrix stored_;
  alignas(64) float copy_[kDepth * kWidth];
};

template <class Left, class Right>
void multiply(Size size, Left left, Right& right, Output out) {
  using Strip = void(Size, Left, StoredMatrix, const Output&);
  static constexpr auto kStrips = []<int64_t... kLess>(std::integer_sequence<int64_t, kLess...>) {
    return std::array<Strip*, kMostVectors>{multiply_strip<kLess + 1, Left>...};
  }(std::make_integer_sequence<int64_t, kMostVectors>());
  const int64_t vectors = ceil_div(size.columns, kLanes);
  const EvenParts strips(vectors, widest_strip(vectors, size.rows, size.depth, Right::kWidest));
  for (int64_t begin = 0; begin < size.depth; begin += Right::kDepth, out.adds = true) {
    for (int64_t i = 0; i < strips.count(); ++i) {
      const int64_t width = strips.size(i);
      const int64_t column = strips.begin(i) * kLanes;
      const Size part{size.rows,
                      std::min(size.columns - column, width * kLanes),
                      std::min(Right::kDepth, size.depth - begin)};
      kStrips[static_cast<size_t>(width - 1)](
          part, left.at(0, begin), right.strip(begin, column, part), out.at(0, column));
    }
  }
}

void in_whole_vectors(const GemmArgs<float>& args) {
  const Size size{args.m, args.n, args.k};
  const StoredMatrix lhs{args.lhs, args.lhs_stride};
  const StoredMatrix rhs{args.rhs, args.rhs_stride};
  const Output out{args.out, args.out_stride, /*transposes=*/false, args.adds};
  const auto multiply_by = [&](auto&& right) {
    if (args.transpose_lhs == 'T') {
      multiply(size, ColumnsInPlace{lhs}, right, out);
    } else {
      multiply(size, RowsInPlace{lhs}, right, out);
    }
  };
  args.transpose_rhs == 'T' ? multiply_by(StraightCopy(rhs)) : multiply_by(InPlace{rhs});
}

/// Columns that fill little of a vector: a few are dot products, more are left to vectors of half
/// the size, of which Zen 4 multiplies two in the time of one.
const GemmLibrary<float>& library_of_rest(const GemmArgs<float>& args) {
  const int64_t few = args.k < 256 ? 2 : 4;
  const bool are_dots = args.transpose_lhs != 'T' && args.n <= few;
  return are_dots ? dot_gemm<kLanes>() : direct_gemms<8>().along_columns;
}

void along_columns(const GemmArgs<float>& args) {
  constexpr int64_t kHalf = kLanes / 2;
  constexpr int64_t kManySummands = 64;
  const int64_t rest = args.n % kLanes;
  const bool pays = args.n > kLanes && rest > 0 && rest <= kHalf && args.k >= kManySummands;
  if (kLanes != 16 || !pays) return in_whole_vectors(args);
  GemmArgs<float> part = args;
  part.n -= rest;
  in_whole_vectors(part);
  part.rhs += args.transpose_rhs == 'T' ? part.n * args.rhs_stride : part.n;
  part.out += part.n;
  part.n = rest;
  library_of_rest(part).gemm(part);
}

void along_rows(const GemmArgs<float>& args) {
  const Size size{args.n, args.m, args.k};
  InPlace lhs{{args.lhs, args.lhs_stride}};
  const StoredMatrix rhs{args.rhs, args.rhs_stride};
  const Output out{args.out, args.out_stride, /*transposes=*/true, args.adds};
  if (args.transpose_rhs == 'T') {
    multiply(size, RowsInPlace{rhs}, lhs, out);
  } else {
    multiply(size, ColumnsInPlace{rhs}, lhs, out);
  }
}

}  // namespace

template <>
const DirectGemms& direct_gemms<kLanes>() {
  constexpr int64_t kPiece = 512;
  static constexpr DirectGemms kGemms = {
      .along_columns = {"direct matmul along columns", along_columns, kPiece, true},
      .along_rows = {"direct matmul along rows", along_rows, kPiece, true}};
  return kGemms;
}

}  // namespace wick::runtime
