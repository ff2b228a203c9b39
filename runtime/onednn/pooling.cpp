// f32 pooling on oneDNN.
//
// What it gains over runtime/native_pooling.cpp depends on the shape (benchmarks/bench_pooling.cpp;
// AVX-512, one thread of a busy machine, CPU time in ms, each the minimum of 200 runs in one
// process, 2x2 windows over [64,32,28,28] and [64,64,14,14]): max 1.6 for 2.0 and 0.54 for 1.4,
// mean 1.0 for 1.4 and 0.36 for 1.2, gradient of the mean 1.3 for 2.2 and 0.77 for 1.1. The
// gradient of a maximum is not here: with the forward pass that finds the places it took 6.4
// for 3.4 and 3.2 for 3.1, since it makes four passes over memory (NaN, places, and the kernels
// vectorize over channels, which plain row-major operands are transposed for) where the native one
// makes a single pass, plane by plane.
//
// oneDNN leaves NaN out of a maximum and starts it at the lowest finite number, so a maximum over
// NaN or -inf is native.

#include <algorithm>
#include <atomic>
#include <limits>
#include <memory>
#include <string>

#include "wick/runtime/onednn/primitive_call.h"
#include "wick/runtime/parallel.h"
#include "wick/runtime/pool_shape.h"

namespace wick::runtime {
namespace {

using dnnl::memory;

/// Some element is NaN or -inf.
bool has_extremes(const float* values, int64_t count) {
  constexpr int64_t kBlock = 4096;
  constexpr float kLowest = -std::numeric_limits<float>::infinity();
  std::atomic<bool> found{false};
  parallel_ranges(count, 16 * kBlock, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end && !found.load(std::memory_order_relaxed); i += kBlock) {
      int32_t extreme = 0;  // as wide as a float, so that the loop vectorizes
      for (int64_t j = i; j < std::min(i + kBlock, end); ++j)
        extreme |= values[j] > kLowest ? 0 : 1;
      if (extreme != 0) found.store(true, std::memory_order_relaxed);
    }
  });
  return found.load();
}

memory::desc plain(const Shape& shape) {
  return {onednn::to_dims(shape.extents()), memory::data_type::f32, memory::format_tag::nchw};
}

class OnednnPooling final : public HostCall {
 public:
  OnednnPooling(const LibraryOp& op, const Shape& in, const Shape& out)
      : is_gradient_(op.op == ir::OpKind::avg_pool2d_grad),
        in_(plain(in)),
        out_(plain(out)),
        num_inputs_(in.numel()) {
    const ir::Attributes& attributes = op.attributes;
    const memory::dims kernel = attributes.integers("kernel");
    const memory::dims stride = attributes.has("stride") ? attributes.integers("stride") : kernel;
    const memory::dims padding =
        attributes.has("padding") ? attributes.integers("padding") : memory::dims{0, 0};
    const bool is_maximum = op.op == ir::OpKind::max_pool2d;
    const auto average = attributes.flag("exclude_padding")
                             ? dnnl::algorithm::pooling_avg_exclude_padding
                             : dnnl::algorithm::pooling_avg_include_padding;
    const auto algorithm = is_maximum ? dnnl::algorithm::pooling_max : average;
    const dnnl::primitive_attr scratchpad = onednn::user_scratchpad();
    const dnnl::pooling_forward::primitive_desc forward({dnnl::prop_kind::forward_inference,
                                                         algorithm,
                                                         in_,
                                                         out_,
                                                         stride,
                                                         kernel,
                                                         padding,
                                                         padding},
                                                        scratchpad,
                                                        onednn::engine());
    if (is_gradient_) {
      const dnnl::pooling_backward::primitive_desc backward(
          {algorithm, in_, out_, stride, kernel, padding, padding},
          scratchpad,
          onednn::engine(),
          forward);
      primitive_ = dnnl::pooling_backward(backward);
      scratchpad_ = backward.scratchpad_desc();
      implementation_ = backward.impl_info_str();
    } else {
      primitive_ = dnnl::pooling_forward(forward);
      scratchpad_ = forward.scratchpad_desc();
      implementation_ = forward.impl_info_str();
    }
    implementation_ = "onednn pooling " + implementation_;
    if (is_maximum) native_ = make_native_pooling(op);
  }

  std::string_view implementation() const override { return implementation_; }

  size_t scratch_bytes() const override {
    return std::max(scratchpad_.get_size(), native_ ? native_->scratch_bytes() : 0);
  }

  void run(const void* const* operands, void* result, std::byte* scratch) const override {
    if (native_ && has_extremes(static_cast<const float*>(operands[0]), num_inputs_)) {
      return native_->run(operands, result, scratch);
    }
    dnnl::stream& queue = onednn::stream();
    primitive_.execute(
        queue,
        {{is_gradient_ ? DNNL_ARG_DIFF_DST : DNNL_ARG_SRC,
          at(is_gradient_ ? out_ : in_, operands[0])},
         {is_gradient_ ? DNNL_ARG_DIFF_SRC : DNNL_ARG_DST, at(is_gradient_ ? in_ : out_, result)},
         {DNNL_ARG_SCRATCHPAD, at(scratchpad_, scratch)}});
    queue.wait();
  }

 private:
  /// oneDNN has no const memory; it does not write its sources.
  static memory at(const memory::desc& desc, const void* data) {
    return {desc, onednn::engine(), const_cast<void*>(data)};
  }

  bool is_gradient_;
  memory::desc in_;
  memory::desc out_;
  memory::desc scratchpad_;
  int64_t num_inputs_;
  dnnl::primitive primitive_;
  std::string implementation_;
  std::unique_ptr<HostCall> native_;
};

}  // namespace

std::unique_ptr<HostCall> make_onednn_pooling(const LibraryOp& op) {
  if (!ir::has(op.op, ir::kPooling) || op.result.dtype != DType::f32) return nullptr;
  if (is_argmax(op.attributes) || op.op == ir::OpKind::max_pool2d_grad) return nullptr;
  if (op.result.numel() == 0 || op.operands[0].numel() == 0) return nullptr;
  if (op.result.shape.ndim() != 4) return nullptr;  // blocks of channels, which vectorize natively
  const bool is_gradient = op.op == ir::OpKind::avg_pool2d_grad;
  const Shape& out = is_gradient ? op.operands[0].shape : op.result.shape;
  const Shape& in = is_gradient ? op.result.shape : op.operands[0].shape;
  return std::make_unique<OnednnPooling>(op, in, out);
}

}  // namespace wick::runtime
