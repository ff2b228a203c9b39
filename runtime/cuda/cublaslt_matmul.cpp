// Matrix products of plans.

#include <fmt/format.h>

#include "wick/passes/options.h"
#include "wick/runtime/cuda/device_call.h"
#include "wick/runtime/cuda/matmul.h"

namespace wick::runtime::cuda {
namespace {

Epilogue epilogue_of(const LibraryOp& op) {
  const bool has_bias = op.operands.size() > 2;
  if (!op.attributes.has("activation")) return has_bias ? Epilogue::bias : Epilogue::none;
  const bool is_relu = op.attributes.text("activation") == "relu";
  if (has_bias) return is_relu ? Epilogue::relu_bias : Epilogue::gelu_bias;
  return is_relu ? Epilogue::relu : Epilogue::gelu;
}

class CublasLtMatmul final : public DeviceCall {
 public:
  CublasLtMatmul(LibraryOp op, MatmulSpec spec)
      : op_(std::move(op)),
        spec_(std::move(spec)),
        implementation_("cuBLASLt matmul") {
    if (spec_.epilogue != Epilogue::none)
      implementation_ += fmt::format(", {}", traits_of(spec_.epilogue).name);
  }

  [[nodiscard]] std::string_view implementation() const override { return implementation_; }

  void prepare(Gpu& gpu) override {
    const size_t version = gpu.blas().api().cublasLtGetVersion();
    const WayTrial trial(
        gpu, op_, fmt::format("cuBLASLt {}{}", version, spec_.tf32 ? ", TF32" : ""));
    matmul_ = std::make_unique<Matmul>(gpu.blas(), spec_, &trial);
  }

  [[nodiscard]] size_t workspace_bytes() const override { return matmul_->workspace_bytes(); }

  void enqueue(const Stream& stream,
               const void* const* operands,
               void* result,
               void* workspace) const override {
    matmul_->enqueue(stream,
                     CallAddresses{.operands = operands, .result = result, .workspace = workspace});
  }

 private:
  LibraryOp op_;
  MatmulSpec spec_;
  std::string implementation_;
  std::unique_ptr<Matmul> matmul_;
};

}  // namespace

std::unique_ptr<DeviceCall> make_cublaslt_matmul(const LibraryOp& op) {
  if (op.op != ir::OpKind::matmul || !is_float(op.result.dtype)) return nullptr;
  MatmulSpec spec{.shape = matmul_shape(op),
                  .dtype = op.result.dtype,
                  .epilogue = epilogue_of(op),
                  .tf32 = options().tf32};
  const bool is_empty = op.result.numel() == 0 || spec.shape.k == 0;
  if (is_empty && spec.epilogue != Epilogue::none) return nullptr;
  return std::make_unique<CublasLtMatmul>(op, std::move(spec));
}

}  // namespace wick::runtime::cuda
