// f32 matrix products on oneDNN, by the fastest of its entries where there is a choice.
//
// Measured: sgemm is as fast as the matmul primitive or faster, except for a transposed rhs under
// few rows (AVX-512, 64 x 3136 x 1024: 125 GF/s against 217), where the primitive's blocked copy of
// the rhs wins. Under few rows sgemm reads the rhs in place, a column of vectors at a time: where
// rows are a multiple of a page apart, all of those fall into the same few lines of the cache, and
// a copy with longer rows is worth its time (AVX2, 256 x 1024 x 1024: 45 GF/s against 95). Batches
// run as sgemm calls side by side.

#include <algorithm>

#include "wick/runtime/gemm_call.h"
#include "wick/runtime/onednn/primitive_call.h"
#include "wick/runtime/onednn/ways.h"
#include "wick/runtime/parallel.h"

namespace wick::runtime {
namespace {

/// Whether the order of sums, and so every bit, is the same for any number of threads. With AVX2
/// oneDNN's gemm cuts all but large products along k, or into blocks of other sizes, as it has
/// threads: on 2 to 16 threads no bit differed for these shapes, and for all smaller ones some did.
bool sums_in_one_order(const MatmulShape& shape) {
  return onednn::has_avx512() ||
         (shape.m >= 512 && shape.n >= 384 && shape.m * shape.n >= 512 * 1024 && shape.k >= 40);
}

void sgemm(const GemmArgs<float>& args) {
  const dnnl::status status = dnnl::sgemm(args.transpose_lhs,
                                          args.transpose_rhs,
                                          args.m,
                                          args.n,
                                          args.k,
                                          1.0F,
                                          args.lhs,
                                          args.lhs_stride,
                                          args.rhs,
                                          args.rhs_stride,
                                          0.0F,
                                          args.out,
                                          args.out_stride);
  check(status == dnnl::status::success, "sgemm takes every shape");
}

/// Narrower pieces take longer: 256 x 1024 x 1024 runs at 82 GF/s in pieces of 512 columns and at
/// 78 in pieces of 64.
constexpr GemmLibrary<float> kSgemm{.implementation = "onednn sgemm", .gemm = sgemm, .piece = 512};

/// An operand, whose rows are perhaps copied a line of the cache further apart.
class PaddedOperand {
 public:
  PaddedOperand(const Type& type, int64_t row, bool is_padded)
      : rows_(type.numel() / row),
        row_(row),
        stride_(is_padded ? row + kLine : row) {}

  [[nodiscard]] int64_t stride() const { return stride_; }

  /// Of the copy.
  [[nodiscard]] int64_t elements() const { return is_padded() ? rows_ * stride_ : 0; }

  /// Offsets of whole rows.
  void move(std::vector<int64_t>& offsets) const {
    for (int64_t& offset : offsets)
      offset += offset / row_ * (stride_ - row_);
  }

  const void* copy(const void* operand, float* to) const {
    if (!is_padded()) return operand;
    const auto* from = static_cast<const float*>(operand);
    constexpr int64_t kGrain = 16384;  // elements
    parallel_ranges(rows_, std::max<int64_t>(1, kGrain / row_), [&](int64_t begin, int64_t end) {
      for (int64_t row = begin; row < end; ++row)
        std::copy_n(from + row * row_, row_, to + row * stride_);
    });
    return to;
  }

 private:
  static constexpr int64_t kLine = 16;

  [[nodiscard]] bool is_padded() const { return stride_ != row_; }

  int64_t rows_;
  int64_t row_;
  int64_t stride_;
};

MatmulShape with_longer_rows(MatmulShape shape,
                             const PaddedOperand& lhs,
                             const PaddedOperand& rhs) {
  lhs.move(shape.lhs_offsets);
  rhs.move(shape.rhs_offsets);
  return shape;
}

class PaddedSgemm final : public HostCall {
 public:
  PaddedSgemm(const MatmulShape& shape, const PaddedOperand& lhs, const PaddedOperand& rhs)
      : product_(kSgemm,
                 with_longer_rows(shape, lhs, rhs),
                 {lhs.stride(), rhs.stride()},
                 sums_in_one_order(shape)),
        lhs_(lhs),
        rhs_(rhs) {}

  std::string_view implementation() const override { return "onednn sgemm, rows padded"; }

  size_t scratch_bytes() const override {
    return static_cast<size_t>(lhs_.elements() + rhs_.elements()) * sizeof(float);
  }

  void run(const void* const* operands, void* result, std::byte* scratch) const override {
    auto* copies = reinterpret_cast<float*>(scratch);
    const void* const copied[] = {lhs_.copy(operands[0], copies),
                                  rhs_.copy(operands[1], copies + lhs_.elements())};
    product_.run(copied, result, nullptr);
  }

 private:
  GemmCall<float> product_;
  PaddedOperand lhs_;
  PaddedOperand rhs_;
};

std::unique_ptr<HostCall> matmul_primitive(const MatmulShape& shape) {
  using Dims = dnnl::memory::dims;
  constexpr auto kF32 = dnnl::memory::data_type::f32;
  const auto matrix = [&](int64_t rows, int64_t columns, bool transposed) {
    const Dims strides = transposed ? Dims{1, rows} : Dims{columns, 1};
    return dnnl::memory::desc(Dims{rows, columns}, kF32, strides);
  };
  const dnnl::memory::desc lhs = matrix(shape.m, shape.k, shape.transpose_lhs);
  const dnnl::memory::desc rhs = matrix(shape.k, shape.n, shape.transpose_rhs);
  const dnnl::memory::desc out = matrix(shape.m, shape.n, false);
  const dnnl::matmul::primitive_desc desc(
      dnnl::matmul::desc(lhs, rhs, out), onednn::user_scratchpad(), onednn::engine());
  return onednn::make_primitive_call(
      {.implementation = "onednn matmul",
       .primitive = dnnl::matmul(desc),
       .operands = {{DNNL_ARG_SRC, lhs, lhs}, {DNNL_ARG_WEIGHTS, rhs, rhs}},
       .result = {DNNL_ARG_DST, out, out},
       .scratchpad = desc.scratchpad_desc()});
}

/// Where the primitive can be faster than sgemm.
bool may_use_primitive(const MatmulShape& shape) {
  constexpr int64_t kFewRows = 1024;
  constexpr int64_t kManyColumns = 64;
  return onednn::has_avx512() && shape.batch() == 1 && shape.transpose_rhs &&
         !shape.transpose_lhs && shape.m > 1 && shape.m <= kFewRows && shape.n >= kManyColumns &&
         shape.k > 1;
}

/// Where a copy of the lhs with longer rows can pay: of a transposed one, too, a column of vectors
/// is read at a time (AVX2, 512 x 2048 x 384: 63 GF/s against 89).
bool may_pad_lhs(const MatmulShape& shape) {
  constexpr int64_t kLongRows = 128;
  constexpr int64_t kSomeColumns = 64;  // of less a copy takes as long as the product
  return shape.transpose_lhs && shape.m % kLongRows == 0 && shape.n >= kSomeColumns &&
         !sums_in_one_order(shape);
}

/// Where a copy of the rhs with longer rows can pay.
bool may_pad_rhs(const MatmulShape& shape) {
  constexpr int64_t kFewRows = 1024;  // of more sgemm makes copies of its own
  constexpr int64_t kLongRows = 256;  // 1 KiB: of a page they meet four lines
  constexpr int64_t kInCache = int64_t{1} << 21U;
  // Of less a copy takes as long as the product.
  const int64_t some_rows = shape.k * shape.n <= kInCache ? 8 : 64;
  return !shape.transpose_rhs && shape.n % kLongRows == 0 && shape.m >= some_rows &&
         shape.m <= kFewRows;
}

}  // namespace

std::vector<Candidate> onednn::matmul_ways(const LibraryOp& op) {
  const MatmulShape shape = matmul_shape(op);
  std::vector<Candidate> ways;
  if (may_use_primitive(shape)) {
    ways.push_back(
        {"primitive", [](const LibraryOp& op) { return matmul_primitive(matmul_shape(op)); }});
  }
  ways.push_back(
      {"sgemm", [](const LibraryOp& op) {
         const MatmulShape shape = matmul_shape(op);
         return std::make_unique<GemmCall<float>>(
             kSgemm, shape, RowStrides{shape.lda(), shape.ldb()}, sums_in_one_order(shape));
       }});
  if (may_pad_lhs(shape) || may_pad_rhs(shape)) {
    ways.push_back({"sgemm-padded", [](const LibraryOp& op) {
                      const MatmulShape shape = matmul_shape(op);
                      return std::make_unique<PaddedSgemm>(
                          shape,
                          PaddedOperand(op.operands[0], shape.lda(), may_pad_lhs(shape)),
                          PaddedOperand(op.operands[1], shape.ldb(), may_pad_rhs(shape)));
                    }});
  }
  return ways;
}

}  // namespace wick::runtime
