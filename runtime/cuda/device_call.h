#pragma once

// Ops that run on a GPU as calls of libraries or hand-written kernels instead of generated ones.

#include <memory>

#include "wick/runtime/cuda/gpu.h"
#include "wick/runtime/library_call.h"

namespace wick::runtime::cuda {

/// A call of a plan for a GPU. Plans are made without a device: which algorithm runs a call, and in
/// how much memory, is found out by `prepare`.
class DeviceCall : public LibraryCall {
 public:
  /// On the device that will run it, once, before everything below. Throws NotSupported where the
  /// device or its libraries have no such operation.
  virtual void prepare(Gpu& gpu) = 0;

  /// Of device memory that `enqueue` needs.
  [[nodiscard]] virtual size_t workspace_bytes() const { return 0; }

  /// Operands and result are dense, row-major and on the device, aligned to 64 bytes; the workspace
  /// to 256. Neither waits nor allocates, so that it may be recorded in a graph. Thread-safe.
  virtual void enqueue(const Stream& stream,
                       const void* const* operands,
                       void* result,
                       void* workspace) const = 0;
};

// The implementations by family; each gives null for what it does not cover.
std::unique_ptr<DeviceCall> make_cublaslt_matmul(const LibraryOp& op);
std::unique_ptr<DeviceCall> make_cudnn_convolution(const LibraryOp& op);
/// Pooling, scatter, scan and argsort by kernels of Wick's own.
std::unique_ptr<DeviceCall> make_native_device_call(const LibraryOp& op);

}  // namespace wick::runtime::cuda
