// conv and its gradients on oneDNN. The primitive picks the blocked formats it is fastest with;
// Wick's plain row-major operands are reordered on the way in and out.

#include <algorithm>

#include <fmt/format.h>

#include "wick/runtime/onednn/batch_split.h"
#include "wick/runtime/onednn/primitive_call.h"

namespace wick::runtime {
namespace {

using dnnl::algorithm;
using dnnl::memory;
using onednn::PrimitiveArg;
using onednn::PrimitiveSpec;

struct ConvolutionDescs {
  memory::desc x, w, y;              // as Wick stores them
  memory::desc any_x, any_w, any_y;  // the primitive's choice
  memory::dims stride, padding, dilation;
};

/// One number a spatial axis.
memory::dims per_axis(const ir::Attributes& attributes,
                      const char* name,
                      size_t rank,
                      int64_t fallback) {
  const std::vector<int64_t>& values = attributes.integers(name);
  return values.empty() ? memory::dims(rank, fallback) : onednn::to_dims(values);
}

/// Row-major.
memory::desc plain_desc(const memory::dims& dims) {
  memory::dims strides(dims.size(), 1);
  for (size_t i = dims.size() - 1; i-- > 0;)
    strides[i] = strides[i + 1] * dims[i + 1];
  return {dims, memory::data_type::f32, strides};
}

ConvolutionDescs descs_of(const ir::Attributes& attributes,
                          const Shape& x,
                          const Shape& w,
                          const Shape& y) {
  const auto any = [](const memory::dims& dims) {
    return memory::desc(dims, memory::data_type::f32, memory::format_tag::any);
  };
  const auto rank = static_cast<size_t>(x.ndim()) - 2;
  const int64_t groups = attributes.integer("groups", 1);
  const memory::dims x_dims = onednn::to_dims(x.extents());
  const memory::dims y_dims = onednn::to_dims(y.extents());
  memory::dims w_dims = onednn::to_dims(w.extents());
  if (groups > 1) {
    w_dims[0] /= groups;
    w_dims.insert(w_dims.begin(), groups);
  }
  memory::dims dilation = per_axis(attributes, "dilation", rank, 1);
  for (auto& d : dilation)
    d -= 1;  // oneDNN counts the skipped elements
  return {.x = plain_desc(x_dims),
          .w = plain_desc(w_dims),
          .y = plain_desc(y_dims),
          .any_x = any(x_dims),
          .any_w = any(w_dims),
          .any_y = any(y_dims),
          .stride = per_axis(attributes, "stride", rank, 1),
          .padding = per_axis(attributes, "padding", rank, 0),
          .dilation = dilation};
}

/// The one place that chooses between algorithms.
algorithm algorithm_for(const LibraryOp& /*op*/) {
  return algorithm::convolution_direct;
}

dnnl::convolution_forward::primitive_desc forward_desc(const ConvolutionDescs& d, algorithm how) {
  const dnnl::convolution_forward::desc description(dnnl::prop_kind::forward_training,
                                                    how,
                                                    d.any_x,
                                                    d.any_w,
                                                    d.any_y,
                                                    d.stride,
                                                    d.dilation,
                                                    d.padding,
                                                    d.padding);
  return {description, onednn::user_scratchpad(), onednn::engine()};
}

template <typename PrimitiveDesc>
std::string describe(const PrimitiveDesc& desc) {
  return fmt::format("onednn {}", desc.impl_info_str());
}

PrimitiveSpec forward(const LibraryOp& op) {
  const ConvolutionDescs d =
      descs_of(op.attributes, op.operands[0].shape, op.operands[1].shape, op.result.shape);
  const auto desc = forward_desc(d, algorithm_for(op));
  return {.implementation = describe(desc),
          .primitive = dnnl::convolution_forward(desc),
          .operands = {{DNNL_ARG_SRC, d.x, desc.src_desc()},
                       {DNNL_ARG_WEIGHTS, d.w, desc.weights_desc()}},
          .result = {DNNL_ARG_DST, d.y, desc.dst_desc()},
          .scratchpad = desc.scratchpad_desc()};
}

PrimitiveSpec input_grad(const LibraryOp& op) {
  const ConvolutionDescs d =
      descs_of(op.attributes, op.result.shape, op.operands[1].shape, op.operands[0].shape);
  const algorithm how = algorithm_for(op);
  const dnnl::convolution_backward_data::desc description(
      how, d.any_x, d.any_w, d.any_y, d.stride, d.dilation, d.padding, d.padding);
  const dnnl::convolution_backward_data::primitive_desc desc(
      description, onednn::user_scratchpad(), onednn::engine(), forward_desc(d, how));
  return {.implementation = describe(desc),
          .primitive = dnnl::convolution_backward_data(desc),
          .operands = {{DNNL_ARG_DIFF_DST, d.y, desc.diff_dst_desc()},
                       {DNNL_ARG_WEIGHTS, d.w, desc.weights_desc()}},
          .result = {DNNL_ARG_DIFF_SRC, d.x, desc.diff_src_desc()},
          .scratchpad = desc.scratchpad_desc()};
}

PrimitiveSpec weight_grad(const LibraryOp& op) {
  const ConvolutionDescs d =
      descs_of(op.attributes, op.operands[0].shape, op.result.shape, op.operands[1].shape);
  const algorithm how = algorithm_for(op);
  const dnnl::convolution_backward_weights::desc description(
      how, d.any_x, d.any_w, d.any_y, d.stride, d.dilation, d.padding, d.padding);
  const dnnl::convolution_backward_weights::primitive_desc desc(
      description, onednn::user_scratchpad(), onednn::engine(), forward_desc(d, how));
  return {.implementation = describe(desc),
          .primitive = dnnl::convolution_backward_weights(desc),
          .operands = {{DNNL_ARG_SRC, d.x, desc.src_desc()},
                       {DNNL_ARG_DIFF_DST, d.y, desc.diff_dst_desc()}},
          .result = {DNNL_ARG_DIFF_WEIGHTS, d.w, desc.diff_weights_desc()},
          .scratchpad = desc.scratchpad_desc()};
}

/// Images of the cotangent and of x, summed over in parts.
std::unique_ptr<LibraryCall> split_weight_grad(const LibraryOp& op) {
  const Shape& x = op.operands[0].shape;
  const Shape& y = op.operands[1].shape;
  const auto make_part = [&op](int64_t images) {
    LibraryOp part = op;
    for (Type& operand : part.operands)
      operand.shape.set(0, images);
    return onednn::make_primitive_call(weight_grad(part));
  };
  return onednn::make_batch_split({.images = x[0],
                                   .first_stride = x.numel() / x[0],
                                   .second_stride = y.numel() / y[0],
                                   .result_elements = op.result.numel(),
                                   .make_part = make_part});
}

bool has_elements(const LibraryOp& op) {
  const auto some = [](const Type& type) { return type.numel() > 0; };
  return some(op.result) && std::ranges::all_of(op.operands, some);
}

}  // namespace

std::unique_ptr<LibraryCall> make_onednn_convolution(const LibraryOp& op) {
  using ir::OpKind;
  const bool is_convolution = op.op == OpKind::conv || op.op == OpKind::conv_input_grad ||
                              op.op == OpKind::conv_weight_grad;
  if (!is_convolution || op.result.dtype != DType::f32 || !has_elements(op)) return nullptr;
  if (op.op == OpKind::conv) return onednn::make_primitive_call(forward(op));
  if (op.op == OpKind::conv_input_grad) return onednn::make_primitive_call(input_grad(op));
  return split_weight_grad(op);
}

}  // namespace wick::runtime
