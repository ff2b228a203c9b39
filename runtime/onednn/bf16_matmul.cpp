// Matrix products of bf16 by oneDNN's primitive: sums in f32, rounded once.
//
// How the primitive shares a product among threads follows their number, and so would the last
// bits. So a product is cut by its shape alone, and its pieces are computed on one thread each.

#include <algorithm>
#include <tuple>
#include <utility>

#include "wick/passes/native_products.h"
#include "wick/runtime/gemm_call.h"
#include "wick/runtime/onednn/primitive_call.h"
#include "wick/runtime/parallel.h"

namespace wick::runtime {
namespace {

using Bits = uint16_t;

/// What one call of the primitive computes.
struct Piece {
  int64_t products = 1;
  int64_t rows = 0;
  int64_t columns = 0;
};

/// A transposed operand is stored with columns of the matrix as rows.
dnnl::memory::desc matrices(
    int64_t count, int64_t rows, int64_t columns, bool transposed, int64_t row_stride) {
  const int64_t apart = rows * columns;
  return {{count, rows, columns},
          dnnl::memory::data_type::bf16,
          transposed ? dnnl::memory::dims{apart, 1, row_stride}
                     : dnnl::memory::dims{apart, row_stride, 1}};
}

bool is_shared(const std::vector<int64_t>& offsets) {
  return offsets.front() == offsets.back();
}

onednn::PrimitiveSpec primitive_of(const MatmulShape& shape, const Piece& piece) {
  const auto& [products, rows, columns] = piece;
  const int64_t lhs_count = is_shared(shape.lhs_offsets) ? 1 : products;
  const int64_t rhs_count = is_shared(shape.rhs_offsets) ? 1 : products;
  const auto lhs = matrices(lhs_count, rows, shape.k, shape.transpose_lhs, shape.lda());
  const auto rhs = matrices(rhs_count, shape.k, columns, shape.transpose_rhs, shape.ldb());
  // A stride that is never taken: the primitive copies an rhs into blocks where nothing has gaps,
  // for which a single row does not pay (1 x 2048 x 2048: 0.6 ms instead of 0.16).
  const int64_t row_stride = rows == 1 ? 2 * shape.n : shape.n;
  const auto out = matrices(products, rows, columns, false, row_stride);
  // Else a transposed rhs asks for those blocks (17 x 2048 x 2048: 2.0 ms instead of 0.9).
  const bool closes_gaps = shape.transpose_rhs && rows > 1;
  const auto made = closes_gaps ? matrices(products, rows, columns, false, columns) : out;
  const dnnl::matmul::primitive_desc desc(
      dnnl::matmul::desc(lhs, rhs, made), onednn::user_scratchpad(), onednn::engine());
  return {.implementation = "onednn bf16 matmul",
          .primitive = dnnl::matmul(desc),
          .operands = {{DNNL_ARG_SRC, lhs, lhs}, {DNNL_ARG_WEIGHTS, rhs, rhs}},
          .result = {DNNL_ARG_DST, out, made},
          .scratchpad = desc.scratchpad_desc()};
}

enum class Along : uint8_t { products, rows, columns };

struct Cut {
  Along along = Along::rows;
  int64_t length = 0;  // what is cut
  int64_t step = 0;
};

/// Whether operands follow each other in memory, or are one for all products.
bool is_regular(const std::vector<int64_t>& offsets, int64_t elements) {
  const int64_t step = is_shared(offsets) ? 0 : elements;
  for (size_t i = 0; i < offsets.size(); ++i)
    if (offsets[i] != static_cast<int64_t>(i) * step) return false;
  return true;
}

Cut cut_of(const MatmulShape& shape) {
  constexpr int64_t kSideBySide = 8;                  // products, which are left whole
  constexpr int64_t kWorthACall = int64_t{1} << 22U;  // multiplications: 40 us
  constexpr int64_t kRows = 256;                      // of fewer, copies of the rhs would be felt
  constexpr int64_t kColumns = 512;
  const auto& [m, n, k] = std::tie(shape.m, shape.n, shape.k);
  const int64_t batch = shape.batch();
  if (batch >= kSideBySide) {
    const bool regular =
        is_regular(shape.lhs_offsets, m * k) && is_regular(shape.rhs_offsets, k * n);
    const int64_t step = regular ? std::clamp<int64_t>(kWorthACall / (m * n * k), 1, batch) : 1;
    return {Along::products, batch, step};
  }
  const bool cuts_rows = m > kRows || m >= n;
  const int64_t length = cuts_rows ? m : n;
  const int64_t most = cuts_rows ? kRows : kColumns;
  const int64_t pieces = (length + most - 1) / most;
  return {cuts_rows ? Along::rows : Along::columns, length, (length + pieces - 1) / pieces};
}

class Bf16Matmul final : public HostCall {
 public:
  explicit Bf16Matmul(MatmulShape shape)
      : shape_(std::move(shape)),
        cut_(cut_of(shape_)),
        pieces_((cut_.length + cut_.step - 1) / cut_.step),
        calls_(cut_.along == Along::products ? pieces_ : pieces_ * shape_.batch()) {
    constexpr int64_t kFasterThanF32 = 2;
    const auto& [m, n, k] = std::tie(shape_.m, shape_.n, shape_.k);
    lanes_ = std::min<int64_t>(calls_,
                               threads_worth_waking(shape_.batch() * m * n * k / kFasterThanF32));
    const ThreadCountScope one_thread(1);
    call_ = call_of(cut_.step);
    if (cut_.length % cut_.step != 0) last_ = call_of(cut_.length % cut_.step);
    const size_t scratch =
        std::max(call_->scratch_bytes(), last_ == nullptr ? 0 : last_->scratch_bytes());
    lane_bytes_ = (scratch + 63) / 64 * 64;
  }

  std::string_view implementation() const override { return call_->implementation(); }

  size_t scratch_bytes() const override { return static_cast<size_t>(lanes_) * lane_bytes_; }

  void run(const void* const* operands, void* result, std::byte* scratch) const override {
    parallel_for(lanes_, [&](int64_t lane) {
      const ThreadCountScope one_thread(1);
      for (int64_t call = lane; call < calls_; call += lanes_)
        compute(call, operands, result, scratch + static_cast<size_t>(lane) * lane_bytes_);
    });
  }

 private:
  [[nodiscard]] std::unique_ptr<HostCall> call_of(int64_t step) const {
    Piece piece{.products = 1, .rows = shape_.m, .columns = shape_.n};
    switch (cut_.along) {
      case Along::products:
        piece.products = step;
        break;
      case Along::rows:
        piece.rows = step;
        break;
      case Along::columns:
        piece.columns = step;
        break;
    }
    return onednn::make_primitive_call(primitive_of(shape_, piece));
  }

  void compute(int64_t call, const void* const* operands, void* result, std::byte* scratch) const {
    const GemmRange part{call % pieces_ * cut_.step,
                         std::min(cut_.length, (call % pieces_ + 1) * cut_.step)};
    const GemmArgs<Bits> args =
        gemm_args(shape_,
                  {shape_.lda(), shape_.ldb()},
                  cut_.along == Along::products ? part.begin : call / pieces_,
                  cut_.along == Along::rows ? part : GemmRange{0, shape_.m},
                  cut_.along == Along::columns ? part : GemmRange{0, shape_.n},
                  static_cast<const Bits*>(operands[0]),
                  static_cast<const Bits*>(operands[1]),
                  static_cast<Bits*>(result));
    const void* const pointers[] = {args.lhs, args.rhs};
    const HostCall& computes = part.end - part.begin == cut_.step ? *call_ : *last_;
    computes.run(pointers, args.out, scratch);
  }

  MatmulShape shape_;
  Cut cut_;
  int64_t pieces_;  // of what is cut
  int64_t calls_;
  int64_t lanes_ = 1;  // that make calls, each with scratch of its own
  std::unique_ptr<HostCall> call_;
  std::unique_ptr<HostCall> last_;  // shorter; null where pieces are all as long
  size_t lane_bytes_ = 0;
};

}  // namespace

std::unique_ptr<HostCall> make_bf16_matmul(const LibraryOp& op) {
  if (op.op != ir::OpKind::matmul || op.result.dtype != DType::bf16 || has_epilogue(op))
    return nullptr;
  const bool sums_nothing = op.operands[0].numel() == 0;
  if (op.result.numel() == 0 || sums_nothing || !passes::has_native_bf16_products()) return nullptr;
  return std::make_unique<Bf16Matmul>(matmul_shape(op));
}

}  // namespace wick::runtime
