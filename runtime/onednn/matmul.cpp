// f32 matrix products on oneDNN.
//
// Measured on AVX-512: sgemm is as fast as the matmul primitive or faster, except for a transposed
// rhs under few rows (64 x 3136 x 1024: 125 GF/s against 217), where the primitive's blocked copy
// of the rhs wins. Batches run as sgemm calls side by side.

#include <algorithm>
#include <cstring>

#include "wick/runtime/matmul_shape.h"
#include "wick/runtime/onednn/primitive_call.h"
#include "wick/runtime/parallel.h"

namespace wick::runtime {
namespace {

class Sgemm final : public HostCall {
 public:
  explicit Sgemm(MatmulShape shape) : shape_(std::move(shape)) {}

  std::string_view implementation() const override { return "onednn sgemm"; }

  void run(const void* const* operands, void* result, std::byte* /*scratch*/) const override {
    const auto* lhs = static_cast<const float*>(operands[0]);
    const auto* rhs = static_cast<const float*>(operands[1]);
    auto* out = static_cast<float*>(result);
    const auto product = [&](int64_t b) {
      const auto at = static_cast<size_t>(b);
      multiply(lhs + shape_.lhs_offsets[at],
               rhs + shape_.rhs_offsets[at],
               out + b * shape_.m * shape_.n);
    };
    constexpr int64_t kSideBySide = 8;  // products from which on each runs on one thread
    if (shape_.batch() < kSideBySide) {
      for (int64_t b = 0; b < shape_.batch(); ++b)
        product(b);
      return;
    }
    const int64_t work = std::max<int64_t>(1, shape_.m * shape_.n * shape_.k);
    constexpr int64_t kWorkGrain = 65536;
    parallel_ranges(shape_.batch(), kWorkGrain / work, [&](int64_t begin, int64_t end) {
      const ThreadCountScope one_thread(1);
      for (int64_t b = begin; b < end; ++b)
        product(b);
    });
  }

 private:
  void multiply(const float* lhs, const float* rhs, float* out) const {
    const dnnl::status status = dnnl::sgemm(shape_.transpose_lhs ? 'T' : 'N',
                                            shape_.transpose_rhs ? 'T' : 'N',
                                            shape_.m,
                                            shape_.n,
                                            shape_.k,
                                            1.0F,
                                            lhs,
                                            shape_.lda(),
                                            rhs,
                                            shape_.ldb(),
                                            0.0F,
                                            out,
                                            shape_.n);
    check(status == dnnl::status::success, "sgemm takes every shape");
  }

  MatmulShape shape_;
};

/// A product with nothing in it, or a sum over nothing.
class ZeroFill final : public HostCall {
 public:
  explicit ZeroFill(size_t bytes) : bytes_(bytes) {}

  std::string_view implementation() const override { return "zero fill"; }

  void run(const void* const* /*operands*/, void* result, std::byte* /*scratch*/) const override {
    if (bytes_ > 0) std::memset(result, 0, bytes_);
  }

 private:
  size_t bytes_;
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

bool prefers_primitive(const MatmulShape& shape) {
  constexpr int64_t kFewRows = 1024;
  constexpr int64_t kManyColumns = 64;
  return shape.batch() == 1 && shape.transpose_rhs && !shape.transpose_lhs && shape.m > 1 &&
         shape.m <= kFewRows && shape.n >= kManyColumns && shape.k > 1;
}

}  // namespace

std::unique_ptr<HostCall> make_onednn_matmul(const LibraryOp& op) {
  if (op.op != ir::OpKind::matmul || op.result.dtype != DType::f32 || has_epilogue(op))
    return nullptr;
  MatmulShape shape = matmul_shape(op);
  if (op.result.numel() == 0 || shape.k == 0) {
    return std::make_unique<ZeroFill>(op.result.num_bytes());
  }
  if (prefers_primitive(shape)) return matmul_primitive(shape);
  return std::make_unique<Sgemm>(std::move(shape));
}

}  // namespace wick::runtime
