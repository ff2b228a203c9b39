#pragma once

// Matrix products by a library's gemm.

#include <algorithm>
#include <tuple>
#include <utility>

#include "wick/runtime/matmul_shape.h"
#include "wick/runtime/parallel.h"

namespace wick::runtime {

/// out (m x n) = lhs * rhs, or is added that: row-major, with rows so many elements apart. 'T'
/// transposes an operand, 'N' leaves it.
template <typename T>
struct GemmArgs {
  char transpose_lhs;
  char transpose_rhs;
  int64_t m;
  int64_t n;
  int64_t k;
  const T* lhs;
  int64_t lhs_stride;
  const T* rhs;
  int64_t rhs_stride;
  T* out;
  int64_t out_stride;
  bool adds = false;
};

template <typename T>
using Gemm = void(const GemmArgs<T>& args);

/// From row to row of the operands as they are stored, in elements.
struct RowStrides {
  int64_t lhs = 0;
  int64_t rhs = 0;
};

/// A part of a side of a product.
struct GemmRange {
  int64_t begin = 0;
  int64_t end = 0;
};

/// Rows and columns of product b of a batch, whose operands begin at lhs and rhs.
template <typename T>
GemmArgs<T> gemm_args(const MatmulShape& shape,
                      RowStrides strides,
                      int64_t b,
                      GemmRange rows,
                      GemmRange columns,
                      const T* lhs,
                      const T* rhs,
                      T* out) {
  const auto at = static_cast<size_t>(b);
  const int64_t row_step = shape.transpose_lhs ? 1 : strides.lhs;
  const int64_t column_step = shape.transpose_rhs ? strides.rhs : 1;
  return {.transpose_lhs = shape.transpose_lhs ? 'T' : 'N',
          .transpose_rhs = shape.transpose_rhs ? 'T' : 'N',
          .m = rows.end - rows.begin,
          .n = columns.end - columns.begin,
          .k = shape.k,
          .lhs = lhs + shape.lhs_offsets[at] + rows.begin * row_step,
          .lhs_stride = strides.lhs,
          .rhs = rhs + shape.rhs_offsets[at] + columns.begin * column_step,
          .rhs_stride = strides.rhs,
          .out = out + (b * shape.m + rows.begin) * shape.n + columns.begin,
          .out_stride = shape.n};
}

template <typename T>
struct GemmLibrary {
  std::string_view implementation;
  Gemm<T>* gemm = nullptr;
  /// The longest side of a product that one call takes; longer ones are cut into pieces.
  int64_t piece = 0;
  /// How an element is summed depends on k alone: pieces change no bit.
  bool sums_by_k = false;
};

/// The products of a matmul op.
template <typename T>
class GemmCall final : public HostCall {
 public:
  /// `cuts_itself`: the library uses the threads for one product, and no bit depends on how many.
  /// Else products are cut by their shape alone.
  GemmCall(GemmLibrary<T> library, MatmulShape shape, RowStrides strides, bool cuts_itself = false)
      : library_(library),
        shape_(std::move(shape)),
        strides_(strides),
        threads_of_library_(shape_.batch() < kSideBySide && cuts_itself),
        pieces_(shape_.batch() < kSideBySide ? num_pieces() : 1) {}

  std::string_view implementation() const override { return library_.implementation; }

  void run(const void* const* operands, void* result, std::byte* /*scratch*/) const override {
    const auto* lhs = static_cast<const T*>(operands[0]);
    const auto* rhs = static_cast<const T*>(operands[1]);
    auto* out = static_cast<T*>(result);
    const auto product = [&](int64_t b, GemmRange rows, GemmRange columns) {
      library_.gemm(gemm_args(shape_, strides_, b, rows, columns, lhs, rhs, out));
    };
    if (threads_of_library_) {
      const ThreadCountScope threads = no_more_threads_than_worth(work_of_product());
      for (int64_t b = 0; b < shape_.batch(); ++b)
        product(b, {0, shape_.m}, {0, shape_.n});
      return;
    }
    const bool is_whole = library_.sums_by_k && is_short() && max_threads() == 1;
    const int64_t pieces = is_whole ? 1 : pieces_;
    const int64_t tasks = shape_.batch() * pieces;
    const int64_t work = std::max<int64_t>(1, work_of_product() / pieces);
    constexpr int64_t kWorkGrain = 65536;
    parallel_ranges(tasks, kWorkGrain * waking_factor() / work, [&](int64_t begin, int64_t end) {
      const ThreadCountScope one_thread(1);
      for (int64_t task = begin; task < end; ++task)
        piece(task % pieces, pieces, [&](GemmRange rows, GemmRange columns) {
          product(task / pieces, rows, columns);
        });
    });
  }

 private:
  static constexpr int64_t kSideBySide = 8;  // products from which on each runs on one thread

  /// In multiplications, of which an element takes as long to load or store as sixteen.
  [[nodiscard]] int64_t work_of_product() const {
    const auto& [m, n, k] = std::tie(shape_.m, shape_.n, shape_.k);
    return m * n * k + 16 * (m * k + k * n + m * n);
  }

  /// A vector times a matrix reads a piece of each row.
  [[nodiscard]] int64_t longest_piece() const {
    return std::min(shape_.m, shape_.n) == 1 ? 4 * library_.piece : library_.piece;
  }

  [[nodiscard]] bool is_short() const { return std::max(shape_.m, shape_.n) <= longest_piece(); }

  /// By shape alone. Of a short product rows are cut, which costs a library next to nothing, but
  /// for the copies it makes of a transposed rhs, or of one with few columns. Two or four pieces
  /// may be small ones: 128^3 takes two threads 0.021 ms, and one 0.037.
  [[nodiscard]] int64_t num_pieces() const {
    constexpr int64_t kWork = int64_t{1} << 22U;
    constexpr int64_t kLeastWork = int64_t{1} << 20U;
    constexpr int64_t kFewestRows = 16;
    constexpr int64_t kFewColumns = 32;
    const auto& [m, n, k] = std::tie(shape_.m, shape_.n, shape_.k);
    if (!is_short()) return (std::max(m, n) + longest_piece() - 1) / longest_piece();
    const int64_t most = shape_.transpose_rhs ? 2 : 8;
    int64_t wanted = m * n * k / kWork;
    if (n > kFewColumns && m * n * k >= 2 * kLeastWork)
      wanted = std::max<int64_t>(wanted, m * n * k >= 4 * kLeastWork ? 4 : 2);
    return std::clamp<int64_t>(std::min(wanted, m / kFewestRows), 1, most);
  }

  /// The part of a product that is its piece number i of so many: along the longer side, if that
  /// is long.
  template <class Product>
  void piece(int64_t i, int64_t pieces, Product product) const {
    const bool cuts_rows = is_short() || shape_.m > shape_.n;
    const int64_t length = cuts_rows ? shape_.m : shape_.n;
    const int64_t step = (length + pieces - 1) / pieces;
    const GemmRange part{i * step, std::min(length, (i + 1) * step)};
    if (part.begin >= part.end) return;
    cuts_rows ? product(part, {0, shape_.n}) : product({0, shape_.m}, part);
  }

  GemmLibrary<T> library_;
  MatmulShape shape_;
  RowStrides strides_;
  bool threads_of_library_;
  int64_t pieces_;  // of a product, else
};

}  // namespace wick::runtime
