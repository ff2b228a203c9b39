// Convolutions of plans.

#include <algorithm>

#include <fmt/format.h>

#include "wick/passes/options.h"
#include "wick/runtime/cuda/convolution.h"
#include "wick/runtime/cuda/device_call.h"

namespace wick::runtime::cuda {
namespace {

class CudnnConvolution final : public DeviceCall {
 public:
  CudnnConvolution(LibraryOp op, ConvolutionOptions options)
      : op_(std::move(op)),
        options_(options) {}

  [[nodiscard]] std::string_view implementation() const override { return "cuDNN convolution"; }

  void prepare(Gpu& gpu) override {
    const WayTrial trial(gpu,
                         op_,
                         fmt::format("cuDNN {}{}{}",
                                     gpu.dnn().api().cudnnGetVersion(),
                                     options_.tf32 ? ", TF32" : "",
                                     options_.winograd ? ", Winograd" : ""));
    convolution_ = std::make_unique<Convolution>(gpu.dnn(), op_, options_, &trial);
  }

  [[nodiscard]] size_t workspace_bytes() const override { return convolution_->workspace_bytes(); }

  void enqueue(const Stream& stream,
               const void* const* operands,
               void* result,
               void* workspace) const override {
    convolution_->enqueue(stream, {.operands = operands, .result = result, .workspace = workspace});
  }

 private:
  LibraryOp op_;
  ConvolutionOptions options_;
  std::unique_ptr<Convolution> convolution_;
};

}  // namespace

std::unique_ptr<DeviceCall> make_cudnn_convolution(const LibraryOp& op) {
  using ir::OpKind;
  const bool convolves = op.op == OpKind::conv || op.op == OpKind::conv_input_grad ||
                         op.op == OpKind::conv_weight_grad;
  if (!convolves) return nullptr;
  const auto is_empty = [](const Type& type) { return type.numel() == 0; };
  if (is_empty(op.result) || std::ranges::any_of(op.operands, is_empty)) return nullptr;
  const Options& options = wick::options();
  return std::make_unique<CudnnConvolution>(
      op, ConvolutionOptions{.tf32 = options.tf32, .winograd = !options.direct_convolutions});
}

}  // namespace wick::runtime::cuda
