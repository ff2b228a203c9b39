#pragma once

// Convolutions on a GPU and their gradients, by cuDNN.

#include <memory>

#include "wick/runtime/cuda/dnn_plan.h"
#include "wick/runtime/library_call.h"

namespace wick::runtime::cuda {

struct ConvolutionOptions {
  /// Lets f32 be rounded to 10 bits of mantissa before it is multiplied.
  bool tf32 = false;
  /// Lets f32 be multiplied by Winograd's algorithm or Fourier transforms, which round coarser.
  bool winograd = false;
};

/// An op `conv`, `conv_input_grad` or `conv_weight_grad` at one shape, ready to be enqueued. Images
/// are stored [n,c,...], or [n,1,...,c], which is blocks of all channels and what tensor cores like
/// best. Thread-safe.
class Convolution {
 public:
  /// By the engine that the trial finds to be the fastest, else by cuDNN's first. `dnn` outlives
  /// it. Throws NotSupported where cuDNN has no such convolution.
  Convolution(const Dnn& dnn,
              const LibraryOp& op,
              ConvolutionOptions options = {},
              const WayTrial* trial = nullptr);

  [[nodiscard]] size_t workspace_bytes() const { return plan_->workspace_bytes(); }

  /// All aligned to 64 bytes.
  void enqueue(const Stream& stream, const CallAddresses& addresses) const {
    plan_->enqueue(stream, addresses);
  }

 private:
  std::unique_ptr<DnnPlan> plan_;
};

}  // namespace wick::runtime::cuda
