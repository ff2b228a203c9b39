#pragma once

// Operations of cuDNN made ready to run: the choice of an engine.

#include <memory>
#include <span>
#include <vector>

#include "wick/runtime/cuda/dnn_descriptor.h"

namespace wick::runtime::cuda {

/// What an engine may do. One that gives other bits in another run is never taken.
struct EngineLimits {
  bool tensor_cores = true;  // they round f32 to 10 bits of mantissa before they multiply
  bool winograd = false;     // Winograd's algorithm and Fourier transforms round coarser
  int64_t workspace_bytes = int64_t{1} << 30U;
};

/// An operation with an engine that runs it.
class DnnPlan {
 public:
  /// Takes the first engine of cuDNN's own order that keeps within the limits. `parts` are what the
  /// operation refers to. Throws NotSupported "`what`: ..." where there is none.
  DnnPlan(const Dnn& dnn,
          std::string_view what,
          DnnDescriptor operation,
          std::vector<DnnDescriptor> parts,
          const EngineLimits& limits);

  [[nodiscard]] size_t workspace_bytes() const { return workspace_bytes_; }

  /// Enqueues it; the addresses are those of the tensors with these ids.
  void execute(const Stream& stream,
               std::span<const int64_t> ids,
               std::span<void* const> addresses,
               void* workspace) const;

 private:
  const Dnn& dnn_;
  std::vector<DnnDescriptor> parts_;
  DnnDescriptor operation_;
  DnnDescriptor graph_;
  std::unique_ptr<DnnDescriptor> engine_;
  std::unique_ptr<DnnDescriptor> plan_;
  size_t workspace_bytes_ = 0;
};

}  // namespace wick::runtime::cuda
