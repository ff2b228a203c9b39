#pragma once

// Which code runs ops outside of fusions in plans for a GPU.

#include <memory>
#include <string>

#include "wick/runtime/library_call.h"

namespace wick::runtime::cuda {

/// What no code on a GPU does: the operands go to the host, the result comes back.
class HostFallback final : public LibraryCall {
 public:
  explicit HostFallback(std::unique_ptr<HostCall> call);

  [[nodiscard]] std::string_view implementation() const override { return implementation_; }

  [[nodiscard]] const HostCall& call() const { return *call_; }

 private:
  std::unique_ptr<HostCall> call_;
  std::string implementation_;
};

/// A DeviceCall, or else a HostFallback; null where the interpreter has to do it.
std::unique_ptr<LibraryCall> device_library(const LibraryOp& op, int threads);

}  // namespace wick::runtime::cuda
