#include "wick/runtime/tiled_matmul.h"

#include <algorithm>

#include "wick/runtime/parallel.h"
#include "wick/runtime/shares.h"
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

/// One for each lane, and while they are long several: those even out cores that others slow down,
/// but what a piece multiplies is copied for it alone. Of 2048^3, two lanes with one piece each
/// reached 0.95 of oneDNN's rate, and 0.99 with eight; the step of a perceptron whose products are
/// [256,1024] by [1024,1024] takes 0.96 of the time with one (two lanes that share no cache).
Pieces cut(int64_t m, int64_t n, int64_t lanes) {
  constexpr int64_t kPiecesPerLane = 8;
  constexpr int64_t kShortest = 48;  // side of a piece
  constexpr int64_t kLong = 512;
  Pieces pieces;
  Pieces even;  // as many for each lane
  while (lanes > 1 && pieces.count() < lanes * kPiecesPerLane) {
    const int64_t rows = m / pieces.rows;
    const int64_t columns = n / pieces.columns;
    if (std::max(rows, columns) < 2 * (even.count() < lanes ? kShortest : kLong)) break;
    ++(rows >= columns ? pieces.rows : pieces.columns);
    if (pieces.count() % lanes == 0) even = pieces;
  }
  return even.count() < lanes ? pieces : even;
}

/// Number i of so many parts of a side, which meet between tiles.
GemmRange part(int64_t extent, int64_t parts, int64_t i, int64_t tile) {
  const auto border = [&](int64_t at) {
    return at == parts ? extent : (extent * at / parts + tile / 2) / tile * tile;
  };
  return {border(i), border(i + 1)};
}

class TiledMatmul final : public HostCall {
 public:
  TiledMatmul(MatmulShape shape, const TiledGemm& gemm)
      : shape_(std::move(shape)),
        gemm_(gemm),
        lanes_(most_lanes()),
        pieces_(shape_.batch() % lanes_ == 0 ? Pieces{} : cut(shape_.m, shape_.n, lanes_)) {
    lanes_ = std::min(lanes_, shape_.batch() * pieces_.count());
    for (int64_t i = 0; i < pieces_.count(); ++i) {
      const GemmRange rows = rows_of(i);
      const GemmRange columns = columns_of(i);
      lane_elements_ =
          std::max(lane_elements_,
                   gemm_.scratch(rows.end - rows.begin, columns.end - columns.begin, shape_.k));
    }
  }

  std::string_view implementation() const override { return "tiled matmul"; }

  size_t scratch_bytes() const override {
    return static_cast<size_t>(lanes_ * lane_elements_) * sizeof(float);
  }

  void run(const void* const* operands, void* result, std::byte* scratch) const override {
    const auto* lhs = static_cast<const float*>(operands[0]);
    const auto* rhs = static_cast<const float*>(operands[1]);
    auto* out = static_cast<float*>(result);
    const int64_t tasks = shape_.batch() * pieces_.count();
    Shares shares(tasks, static_cast<int>(lanes_));
    parallel_for(lanes_, [&](int64_t lane) {
      float* const own = reinterpret_cast<float*>(scratch) + lane * lane_elements_;
      const auto take = [&] { return shares.take(static_cast<int>(lane)); };
      for (int64_t task = take(); task >= 0; task = take()) {
        const int64_t piece = task % pieces_.count();
        gemm_.multiply(gemm_args(shape_,
                                 {shape_.lda(), shape_.ldb()},
                                 task / pieces_.count(),
                                 rows_of(piece),
                                 columns_of(piece),
                                 lhs,
                                 rhs,
                                 out),
                       own);
      }
    });
  }

 private:
  [[nodiscard]] int64_t most_lanes() const {
    return threads_worth_waking(shape_.batch() * shape_.m * shape_.n * shape_.k);
  }

  [[nodiscard]] GemmRange rows_of(int64_t piece) const {
    return part(shape_.m, pieces_.rows, piece / pieces_.columns, gemm_.rows);
  }

  [[nodiscard]] GemmRange columns_of(int64_t piece) const {
    return part(shape_.n, pieces_.columns, piece % pieces_.columns, gemm_.columns);
  }

  MatmulShape shape_;
  const TiledGemm& gemm_;
  int64_t lanes_;  // that work side by side, each with scratch of its own
  Pieces pieces_;
  int64_t lane_elements_ = 0;  // scratch
};

}  // namespace

bool may_tile(const MatmulShape& shape) {
  if (!have_vectors() || shape.k < 2) return false;
  const int64_t narrow = std::min(shape.m, shape.n);
  if (vector_lanes() < 16) return narrow >= 16;  // of less a copy takes as long as the product
  // With AVX-512 direct_gemm is faster for less, and oneDNN as fast for more than is worth timing.
  constexpr int64_t kFew = int64_t{1} << 22U;
  constexpr int64_t kMany = int64_t{1} << 31U;
  const int64_t multiplications = shape.m * shape.n * shape.k;
  return narrow >= 64 && multiplications >= kFew && multiplications <= kMany;
}

std::unique_ptr<HostCall> make_tiled_matmul(const MatmulShape& shape, int64_t lanes) {
  return std::make_unique<TiledMatmul>(shape, lanes == 16 ? tiled_gemm<16>() : tiled_gemm<8>());
}

}  // namespace wick::runtime
