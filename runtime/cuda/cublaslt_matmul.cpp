// Matrix products of plans.

#include "wick/passes/options.h"
#include "wick/runtime/cuda/device_call.h"
#include "wick/runtime/cuda/matmul.h"

namespace wick::runtime::cuda {
namespace {

class CublasLtMatmul final : public DeviceCall {
 public:
  explicit CublasLtMatmul(MatmulSpec spec) : spec_(std::move(spec)) {}

  [[nodiscard]] std::string_view implementation() const override { return "cuBLASLt matmul"; }

  void prepare(Gpu& gpu) override { matmul_ = std::make_unique<Matmul>(gpu.blas(), spec_); }

  [[nodiscard]] size_t workspace_bytes() const override { return matmul_->workspace_bytes(); }

  void enqueue(const Stream& stream,
               const void* const* operands,
               void* result,
               void* workspace) const override {
    matmul_->enqueue(
        stream, {.lhs = operands[0], .rhs = operands[1], .result = result, .workspace = workspace});
  }

 private:
  MatmulSpec spec_;
  std::unique_ptr<Matmul> matmul_;
};

}  // namespace

std::unique_ptr<DeviceCall> make_cublaslt_matmul(const LibraryOp& op) {
  if (op.op != ir::OpKind::matmul || !is_float(op.result.dtype)) return nullptr;
  return std::make_unique<CublasLtMatmul>(
      MatmulSpec{.shape = matmul_shape(op), .dtype = op.result.dtype, .tf32 = options().tf32});
}

}  // namespace wick::runtime::cuda
