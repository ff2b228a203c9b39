#include "wick/runtime/cuda/convolution.h"

#include <array>

#include <fmt/format.h>

#include "wick/ir/channel_blocks.h"
#include "wick/ir/format.h"
#include "wick/runtime/cuda/not_supported.h"

namespace wick::runtime::cuda {
namespace {

using ir::OpKind;
using Extents = std::vector<int64_t>;

/// Ids of the op's operands and result in its plan.
constexpr std::array<int64_t, 3> kIds = {1, 2, 3};

cudnnDataType_t data_type(const Device& device, DType dtype) {
  switch (dtype) {
    case DType::f32:
      return CUDNN_DATA_FLOAT;
    case DType::f64:
      return CUDNN_DATA_DOUBLE;
    case DType::f16:
      return CUDNN_DATA_HALF;
    case DType::bf16:
      return CUDNN_DATA_BFLOAT16;
    default:
      throw NotSupported({}, device.name(), fmt::format("cuDNN convolves no {}", dtype));
  }
}

/// A tensor in cuDNN's order of axes, [n,c,h,w] or [n,c,d,h,w], wherever they are in memory.
struct Layout {
  Extents extents;
  Extents strides;
};

Extents dense_strides(const Extents& extents) {
  Extents strides(extents.size(), 1);
  for (size_t axis = extents.size() - 1; axis > 0; --axis)
    strides[axis - 1] = strides[axis] * extents[axis];
  return strides;
}

/// cuDNN convolves over two axes at least.
void add_axis_to_line(Layout& layout) {
  if (layout.extents.size() > 3) return;
  layout.extents.insert(layout.extents.begin() + 2, 1);
  layout.strides.insert(layout.strides.begin() + 2, layout.strides[2]);
}

Layout weight_layout(const Shape& shape) {
  Layout layout;
  layout.extents.assign(shape.extents().begin(), shape.extents().end());
  layout.strides = dense_strides(layout.extents);
  add_axis_to_line(layout);
  return layout;
}

Layout images_layout(const Device& device, const Shape& images, const Shape& weight) {
  const Shape plain = ir::plain_images(images, weight);
  Layout layout;
  layout.extents.assign(plain.extents().begin(), plain.extents().end());
  if (plain == images) {
    layout.strides = dense_strides(layout.extents);
  } else if (images[1] == 1) {  // [n,1,...,c]: channels last
    const Extents stored(images.extents().begin(), images.extents().end());
    layout.strides = dense_strides(stored);
    layout.strides[1] = 1;
    layout.strides.pop_back();
  } else {
    throw NotSupported(
        {}, device.name(), fmt::format("cuDNN convolves no images in blocks: {}", images));
  }
  add_axis_to_line(layout);
  return layout;
}

DnnDescriptor make_tensor(const Dnn& dnn, DType dtype, const Layout& layout, int64_t id) {
  DnnDescriptor tensor(dnn, CUDNN_BACKEND_TENSOR_DESCRIPTOR);
  tensor.set(CUDNN_ATTR_TENSOR_DATA_TYPE, data_type(dnn.device(), dtype))
      .set_all<int64_t>(CUDNN_ATTR_TENSOR_DIMENSIONS, layout.extents)
      .set_all<int64_t>(CUDNN_ATTR_TENSOR_STRIDES, layout.strides)
      .set(CUDNN_ATTR_TENSOR_UNIQUE_ID, id)
      .set(CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, int64_t{64});
  tensor.finalize();
  return tensor;
}

DnnDescriptor make_window(const Dnn& dnn, const LibraryOp& op, size_t spatial_axes) {
  const auto per_axis = [&](const char* name, int64_t fallback) {
    Extents values = op.attributes.integers(name);
    if (values.empty()) values.assign(spatial_axes, fallback);
    if (values.size() == 1) values.insert(values.begin(), fallback);  // see add_axis_to_line
    return values;
  };
  const Extents padding = per_axis("padding", 0);
  DnnDescriptor window(dnn, CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR);
  const bool is_f64 = op.result.dtype == DType::f64;
  window.set(CUDNN_ATTR_CONVOLUTION_COMP_TYPE, is_f64 ? CUDNN_DATA_DOUBLE : CUDNN_DATA_FLOAT)
      .set(CUDNN_ATTR_CONVOLUTION_CONV_MODE, CUDNN_CROSS_CORRELATION)
      .set(CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS, static_cast<int64_t>(padding.size()))
      .set_all<int64_t>(CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES, per_axis("stride", 1))
      .set_all<int64_t>(CUDNN_ATTR_CONVOLUTION_DILATIONS, per_axis("dilation", 1))
      .set_all<int64_t>(CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS, padding)
      .set_all<int64_t>(CUDNN_ATTR_CONVOLUTION_POST_PADDINGS, padding);
  window.finalize();
  return window;
}

/// How cuDNN calls one of the three operations, and which of Wick's tensors is its image, its
/// weight and its output: by index, the result being 2.
struct Direction {
  OpKind op;
  cudnnBackendDescriptorType_t type;
  cudnnBackendAttributeName_t image_name;
  cudnnBackendAttributeName_t weight_name;
  cudnnBackendAttributeName_t output_name;
  cudnnBackendAttributeName_t window_name;
  cudnnBackendAttributeName_t alpha_name;
  cudnnBackendAttributeName_t beta_name;
  size_t image;
  size_t weight;
  size_t output;
};

constexpr std::array kDirections{
    Direction{OpKind::conv,
              CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR,
              CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X,
              CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W,
              CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y,
              CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC,
              CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_ALPHA,
              CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_BETA,
              0,
              1,
              2},
    Direction{OpKind::conv_input_grad,
              CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR,
              CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DX,
              CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_W,
              CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DY,
              CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_CONV_DESC,
              CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_ALPHA,
              CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_BETA,
              2,
              1,
              0},
    Direction{OpKind::conv_weight_grad,
              CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_FILTER_DESCRIPTOR,
              CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_X,
              CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DW,
              CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DY,
              CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_CONV_DESC,
              CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_ALPHA,
              CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_BETA,
              0,
              2,
              1}};

const Direction& direction_of(OpKind op) {
  return *std::ranges::find(kDirections, op, &Direction::op);
}

const Shape& shape_at(const LibraryOp& op, size_t index) {
  return index == 2 ? op.result.shape : op.operands[index].shape;
}

DnnDescriptor make_operation(const Dnn& dnn,
                             const LibraryOp& op,
                             const Direction& direction,
                             const std::vector<DnnDescriptor>& parts) {
  DnnDescriptor operation(dnn, direction.type);
  operation.set(direction.image_name, parts[0])
      .set(direction.weight_name, parts[1])
      .set(direction.output_name, parts[2])
      .set(direction.window_name, parts[3]);
  if (op.result.dtype == DType::f64) {
    operation.set(direction.alpha_name, 1.0).set(direction.beta_name, 0.0);
  } else {
    operation.set(direction.alpha_name, 1.0F).set(direction.beta_name, 0.0F);
  }
  operation.finalize();
  return operation;
}

}  // namespace

Convolution::Convolution(const Dnn& dnn,
                         const LibraryOp& op,
                         ConvolutionOptions options,
                         const WayTrial* trial) {
  const Direction& direction = direction_of(op.op);
  const Shape& weight = shape_at(op, direction.weight);
  const auto images = [&](size_t index) {
    const Layout layout = images_layout(dnn.device(), shape_at(op, index), weight);
    return make_tensor(dnn, op.result.dtype, layout, kIds[index]);
  };
  std::vector<DnnDescriptor> parts;
  parts.push_back(images(direction.image));
  parts.push_back(make_tensor(dnn, op.result.dtype, weight_layout(weight), kIds[direction.weight]));
  parts.push_back(images(direction.output));
  parts.push_back(make_window(dnn, op, static_cast<size_t>(weight.ndim()) - 2));
  DnnDescriptor operation = make_operation(dnn, op, direction, parts);
  const bool is_f32 = op.result.dtype == DType::f32;
  plan_ = std::make_unique<DnnPlan>(
      dnn,
      fmt::format("{}", op.op),
      std::move(operation),
      std::move(parts),
      std::vector<int64_t>(kIds.begin(), kIds.end()),
      EngineLimits{.tensor_cores = !is_f32 || options.tf32, .winograd = options.winograd},
      trial);
}

}  // namespace wick::runtime::cuda
