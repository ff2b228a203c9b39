#pragma once

// Ops that run as calls of hand-written or library code instead of generated kernels.

#include <cstddef>
#include <memory>
#include <string_view>

#include "wick/ir/graph.h"

namespace wick::runtime {

/// One op at one shape, as a step of a plan.
class LibraryCall {
 public:
  LibraryCall() = default;
  LibraryCall(const LibraryCall&) = delete;
  LibraryCall& operator=(const LibraryCall&) = delete;
  virtual ~LibraryCall() = default;

  /// What it is made of, for the plan's text: `onednn convolution`, `native scatter`.
  [[nodiscard]] virtual std::string_view implementation() const = 0;

  /// Bytes of the arena that a run works in, 64-byte aligned.
  [[nodiscard]] virtual size_t scratch_bytes() const { return 0; }
};

/// A call that runs on the host. Immutable: any number of threads may run it at a time, each with
/// its own scratch.
class HostCall : public LibraryCall {
 public:
  /// Dense row-major operands and result.
  virtual void run(const void* const* operands, void* result, std::byte* scratch) const = 0;
};

/// The shape of a call: what decides its code.
struct LibraryOp {
  ir::OpKind op = ir::OpKind::matmul;
  ir::Attributes attributes;
  std::vector<Type> operands;
  Type result;
};

LibraryOp library_op_of(const ir::Node& node);

/// The best implementation on the host, for `threads` threads; null when there is none and the
/// interpreter has to do it.
std::unique_ptr<HostCall> make_host_call(const LibraryOp& op, int threads);

// The implementations by family; each gives null for what it does not cover.
std::unique_ptr<HostCall> make_f32_matmul(const LibraryOp& op);
std::unique_ptr<HostCall> make_bf16_matmul(const LibraryOp& op);
std::unique_ptr<HostCall> make_depthwise_gradient(const LibraryOp& op);
std::unique_ptr<HostCall> make_onednn_convolution(const LibraryOp& op);
std::unique_ptr<HostCall> make_blas_matmul(const LibraryOp& op);
std::unique_ptr<HostCall> make_native_argsort(const LibraryOp& op);
std::unique_ptr<HostCall> make_native_concat(const LibraryOp& op);
std::unique_ptr<HostCall> make_native_matmul(const LibraryOp& op);
std::unique_ptr<HostCall> make_native_pooling(const LibraryOp& op);
std::unique_ptr<HostCall> make_native_scan(const LibraryOp& op);
std::unique_ptr<HostCall> make_native_scatter(const LibraryOp& op);
std::unique_ptr<HostCall> make_product_convolution(const LibraryOp& op);
std::unique_ptr<HostCall> make_row_convolution(const LibraryOp& op);
std::unique_ptr<HostCall> make_row_pooling(const LibraryOp& op);
std::unique_ptr<HostCall> make_row_pooling_gradient(const LibraryOp& op);
/// Throws std::invalid_argument for a custom op that is not registered.
std::unique_ptr<HostCall> make_registered_call(const LibraryOp& op);

}  // namespace wick::runtime
