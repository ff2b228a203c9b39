#include "wick/runtime/tiled_matmul.h"

#include <algorithm>

#include "wick/runtime/host_cpu.h"
#include "wick/runtime/parallel.h"
#include "wick/runtime/tiled_gemm.h"
#include "wick/runtime/vector_lanes.h"

namespace wick::runtime {
namespace {

/// Pieces of a product, as square as they get, so that little is copied twice.
struct Pieces {
  int64_t rows = 1;
  int64_t columns = 1;

  [[nodiscard]] int64_t count() const { return rows * columns; }
};

Pieces cut(int64_t m, int64_t n, int64_t least) {
  constexpr int64_t kShortest = 48;  // side of a piece
  Pieces pieces;
  while (pieces.count() < least) {
    const int64_t rows = m / pieces.rows;
    const int64_t columns = n / pieces.columns;
    if (std::max(rows, columns) < 2 * kShortest) break;
    ++(rows >= columns ? pieces.rows : pieces.columns);
  }
  return pieces;
}

/// Where piece i of so many begins: between tiles.
int64_t border(int64_t extent, int64_t pieces, int64_t i, int64_t tile) {
  return i == pieces ? extent : (extent * i / pieces + tile / 2) / tile * tile;
}

class TiledMatmul final : public HostCall {
 public:
  explicit TiledMatmul(MatmulShape shape)
      : shape_(std::move(shape)),
        lanes_(most_lanes()),
        pieces_(shape_.batch() % lanes_ == 0 ? Pieces{} : cut(shape_.m, shape_.n, lanes_)) {
    lanes_ = std::min(lanes_, shape_.batch() * pieces_.count());
    for (int64_t i = 0; i < pieces_.count(); ++i) {
      const Piece piece = piece_of(i);
      lane_elements_ =
          std::max(lane_elements_, tiled_gemm_scratch(piece.rows, piece.columns, shape_.k));
    }
  }

  std::string_view implementation() const override { return "tiled matmul"; }

  size_t scratch_bytes() const override {
    return static_cast<size_t>(lanes_ * lane_elements_) * sizeof(float);
  }

  void run(const void* const* operands, void* result, std::byte* scratch) const override {
    const int64_t tasks = shape_.batch() * pieces_.count();
    parallel_for(lanes_, [&](int64_t lane) {
      float* const own = reinterpret_cast<float*>(scratch) + lane * lane_elements_;
      for (int64_t task = tasks * lane / lanes_; task < tasks * (lane + 1) / lanes_; ++task)
        multiply(static_cast<const float*>(operands[0]),
                 static_cast<const float*>(operands[1]),
                 static_cast<float*>(result),
                 task,
                 own);
    });
  }

 private:
  struct Piece {
    int64_t row;
    int64_t column;
    int64_t rows;
    int64_t columns;
  };

  [[nodiscard]] int64_t most_lanes() const {
    constexpr int64_t kWorkGrain = 65536;  // multiplications worth a thread
    const int64_t work = shape_.batch() * shape_.m * shape_.n * shape_.k;
    return std::clamp<int64_t>(work / kWorkGrain, 1, max_threads());
  }

  [[nodiscard]] Piece piece_of(int64_t i) const {
    const auto row = [&](int64_t at) { return border(shape_.m, pieces_.rows, at, kTileRows); };
    const auto column = [&](int64_t at) {
      return border(shape_.n, pieces_.columns, at, kTileColumns);
    };
    const int64_t down = i / pieces_.columns;
    const int64_t across = i % pieces_.columns;
    return {.row = row(down),
            .column = column(across),
            .rows = row(down + 1) - row(down),
            .columns = column(across + 1) - column(across)};
  }

  void multiply(
      const float* lhs, const float* rhs, float* out, int64_t task, float* scratch) const {
    const int64_t product = task / pieces_.count();
    const Piece piece = piece_of(task % pieces_.count());
    const auto at = static_cast<size_t>(product);
    const int64_t row_step = shape_.transpose_lhs ? 1 : shape_.lda();
    const int64_t column_step = shape_.transpose_rhs ? shape_.ldb() : 1;
    tiled_gemm({.transpose_lhs = shape_.transpose_lhs ? 'T' : 'N',
                .transpose_rhs = shape_.transpose_rhs ? 'T' : 'N',
                .m = piece.rows,
                .n = piece.columns,
                .k = shape_.k,
                .lhs = lhs + shape_.lhs_offsets[at] + piece.row * row_step,
                .lhs_stride = shape_.lda(),
                .rhs = rhs + shape_.rhs_offsets[at] + piece.column * column_step,
                .rhs_stride = shape_.ldb(),
                .out = out + (product * shape_.m + piece.row) * shape_.n + piece.column,
                .out_stride = shape_.n},
               scratch);
  }

  MatmulShape shape_;
  int64_t lanes_;  // that work side by side, each with scratch of its own
  Pieces pieces_;
  int64_t lane_elements_ = 0;  // scratch
};

}  // namespace

bool may_tile(const MatmulShape& shape) {
  constexpr int64_t kSome = 16;  // of less a copy takes as long as the product
  return have_vectors() && cpu_vector_bits() < 512 && shape.m >= kSome && shape.n >= kSome &&
         shape.k > 1;
}

std::unique_ptr<HostCall> make_tiled_matmul(const MatmulShape& shape) {
  return std::make_unique<TiledMatmul>(shape);
}

}  // namespace wick::runtime
