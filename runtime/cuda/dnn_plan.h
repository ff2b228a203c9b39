#pragma once

// Operations of cuDNN made ready to run: the choice of an engine.

#include <memory>
#include <string_view>
#include <vector>

#include "wick/runtime/cuda/dnn_descriptor.h"
#include "wick/runtime/cuda/way_trial.h"

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
  /// Takes the engine that is the fastest when it is tried; without a trial the first of cuDNN's
  /// own order. Only engines within the limits. `parts` are what the operation refers to, `ids`
  /// those of the tensors of operands and result. Throws NotSupported "`what`: ..." where there is
  /// none.
  DnnPlan(const Dnn& dnn,
          std::string_view what,
          DnnDescriptor operation,
          std::vector<DnnDescriptor> parts,
          std::vector<int64_t> ids,
          const EngineLimits& limits,
          const WayTrial* trial);

  [[nodiscard]] size_t workspace_bytes() const { return engine_->workspace_bytes; }

  void enqueue(const Stream& stream, const CallAddresses& addresses) const {
    enqueue(*engine_, stream, addresses);
  }

 private:
  struct Engine {
    size_t number;  // in cuDNN's order of those within the limits
    DnnDescriptor config;
    DnnDescriptor plan;
    size_t workspace_bytes;
  };

  /// Up to `most` that work on the device, from this number on.
  [[nodiscard]] std::vector<Engine> find_engines(const EngineLimits& limits,
                                                 size_t first,
                                                 size_t most) const;
  [[nodiscard]] size_t fastest(const std::vector<Engine>& engines, const WayTrial& trial) const;
  void enqueue(const Engine& engine, const Stream& stream, const CallAddresses& addresses) const;

  const Dnn& dnn_;
  std::vector<DnnDescriptor> parts_;
  std::vector<int64_t> ids_;
  DnnDescriptor operation_;
  DnnDescriptor graph_;
  std::unique_ptr<Engine> engine_;
};

}  // namespace wick::runtime::cuda
