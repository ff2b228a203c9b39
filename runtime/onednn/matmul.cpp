// f32 matrix products on oneDNN, by the fastest of its entries where there is a choice.
//
// Measured: sgemm is as fast as the matmul primitive or faster, except for a transposed rhs under
// few rows (AVX-512, 64 x 3136 x 1024: 125 GF/s against 217), where the primitive's blocked copy of
// the rhs wins. Under few rows sgemm reads the rhs in place, a column of vectors at a time: where
// rows are a multiple of a page apart, all of those fall into the same few lines of the cache, and
// a copy with longer rows is worth its time (AVX2, 256 x 1024 x 1024: 45 GF/s against 95). Batches
// run as sgemm calls side by side.

#include <algorithm>
#include <tuple>

#include "wick/runtime/onednn/primitive_call.h"
#include "wick/runtime/onednn/sgemm.h"
#include "wick/runtime/onednn/ways.h"
#include "wick/runtime/parallel.h"
#include "wick/runtime/vector_lanes.h"

namespace wick::runtime {
namespace {

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
                                          args.adds ? 1.0F : 0.0F,
                                          args.out,
                                          args.out_stride);
  check(status == dnnl::status::success, "sgemm takes every shape");
}

}  // namespace

/// Narrower pieces take longer: 256 x 1024 x 1024 runs at 82 GF/s in pieces of 512 columns and at
/// 78 in pieces of 64.
const GemmLibrary<float> onednn::sgemm_library{
    .implementation = "onednn sgemm", .gemm = sgemm, .piece = 512};

/// oneDNN's gemm cuts sums as it has threads, or computes them another way on one than on several.
/// On 2 to 16 threads no bit differed, in some 1200 shapes, for these; with AVX2 (an EPYC) for all
/// smaller ones some did, with AVX-512 (Emerald Rapids) for a sixth.
bool onednn::sums_in_one_order(const MatmulShape& shape) {
  const auto& [m, n, k] = std::tie(shape.m, shape.n, shape.k);
  if (!has_avx512()) return m >= 512 && n >= 384 && m * n >= 512 * 1024 && k >= 40;
  const bool is_large = (m >= 2048 && n >= 384) || (!shape.transpose_rhs && std::min(m, n) >= 1000);
  return n > 1 && ((k <= 400 && m >= 8) || is_large || (shape.transpose_lhs && m >= 256));
}

namespace {

using onednn::sgemm_library;
using onednn::sums_in_one_order;

/// With the rows of the rhs copied a line of the cache further apart.
class PaddedSgemm final : public HostCall {
 public:
  explicit PaddedSgemm(const MatmulShape& shape)
      : row_(shape.ldb()),
        rows_(rows_of(shape)),
        product_(sgemm_library,
                 with_longer_rows(shape),
                 {shape.lda(), row_ + kLine},
                 sums_in_one_order(shape)) {}

  std::string_view implementation() const override { return "onednn sgemm, rows padded"; }

  size_t scratch_bytes() const override {
    return static_cast<size_t>(rows_ * (row_ + kLine)) * sizeof(float);
  }

  void run(const void* const* operands, void* result, std::byte* scratch) const override {
    const auto* from = static_cast<const float*>(operands[1]);
    auto* to = reinterpret_cast<float*>(scratch);
    constexpr int64_t kGrain = 16384;  // elements
    parallel_ranges(rows_, std::max<int64_t>(1, kGrain / row_), [&](int64_t begin, int64_t end) {
      for (int64_t row = begin; row < end; ++row)
        std::copy_n(from + row * row_, row_, to + row * (row_ + kLine));
    });
    const void* const copied[] = {operands[0], to};
    product_.run(copied, result, nullptr);
  }

 private:
  static constexpr int64_t kLine = 16;

  /// Of all products' right operands.
  static int64_t rows_of(const MatmulShape& shape) {
    return (*std::ranges::max_element(shape.rhs_offsets)) / shape.ldb() + shape.k;
  }

  static MatmulShape with_longer_rows(MatmulShape shape) {
    for (int64_t& offset : shape.rhs_offsets)
      offset += offset / shape.ldb() * kLine;
    return shape;
  }

  int64_t row_;
  int64_t rows_;
  GemmCall<float> product_;
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
       .scratchpad = desc.scratchpad_desc(),
       .multiplications = shape.m * shape.n * shape.k});
}

/// Where the primitive can be faster than sgemm.
bool may_use_primitive(const MatmulShape& shape) {
  constexpr int64_t kFewRows = 1024;
  constexpr int64_t kManyColumns = 64;
  return onednn::has_avx512() && shape.batch() == 1 && shape.transpose_rhs &&
         !shape.transpose_lhs && shape.m > 1 && shape.m <= kFewRows && shape.n >= kManyColumns &&
         shape.k > 1;
}

/// Where a copy of the rhs with longer rows can pay: not where direct_gemm has vectors of 16 lanes,
/// which asks for rows of the rhs ahead.
bool may_pad_rhs(const MatmulShape& shape) {
  constexpr int64_t kFewRows = 1024;  // of more sgemm makes copies of its own
  constexpr int64_t kLongRows = 256;  // 1 KiB: of a page they meet four lines
  constexpr int64_t kInCache = int64_t{1} << 21U;
  // Of less a copy takes as long as the product.
  const int64_t some_rows = shape.k * shape.n <= kInCache ? 8 : 64;
  return vector_lanes() < 16 && !shape.transpose_rhs && shape.n % kLongRows == 0 &&
         shape.m >= some_rows && shape.m <= kFewRows;
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
             sgemm_library, shape, RowStrides{shape.lda(), shape.ldb()}, sums_in_one_order(shape));
       }});
  if (may_pad_rhs(shape)) {
    ways.push_back({"sgemm-padded", [](const LibraryOp& op) {
                      return std::make_unique<PaddedSgemm>(matmul_shape(op));
                    }});
  }
  return ways;
}

}  // namespace wick::runtime
