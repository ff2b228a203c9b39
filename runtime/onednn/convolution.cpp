// conv and its gradients on oneDNN, by the fastest of its algorithms. Operands and results that are
// not in the formats that the primitive wants are reordered on the way.

#include <algorithm>
#include <functional>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "wick/ir/channel_blocks.h"
#include "wick/ir/check.h"
#include "wick/passes/options.h"
#include "wick/runtime/depthwise_gradient.h"
#include "wick/runtime/division.h"
#include "wick/runtime/host_cpu.h"
#include "wick/runtime/onednn/batch_split.h"
#include "wick/runtime/onednn/image_loop.h"
#include "wick/runtime/onednn/primitive_call.h"
#include "wick/runtime/onednn/product_gradient.h"
#include "wick/runtime/onednn/ways.h"
#include "wick/runtime/onednn/winograd.h"
#include "wick/runtime/parallel.h"
#include "wick/runtime/pointwise.h"
#include "wick/runtime/row_convolution.h"
#include "wick/runtime/step_labels.h"
#include "wick/runtime/vector_lanes.h"

namespace wick::runtime {
namespace {

using dnnl::algorithm;
using dnnl::memory;
using onednn::PrimitiveSpec;

/// Images as Wick stores them, [n,c,...] or [n,c/b,...,b].
memory::desc stored_images(const Shape& shape, const Shape& weight) {
  using Tag = memory::format_tag;
  const Shape plain = ir::plain_images(shape, weight);
  const memory::dims dims = onednn::to_dims(plain.extents());
  if (plain == shape) return {dims, memory::data_type::f32, onednn::row_major_strides(shape)};
  constexpr Tag kBy8[] = {Tag::nCw8c, Tag::nChw8c, Tag::nCdhw8c};
  constexpr Tag kBy16[] = {Tag::nCw16c, Tag::nChw16c, Tag::nCdhw16c};
  const int64_t block = ir::channel_block(shape, weight);
  check(block == 8 || block == 16, "oneDNN has blocks of 8 and 16 channels");
  const auto rank = static_cast<size_t>(weight.ndim()) - 3;
  return {dims, memory::data_type::f32, block == 8 ? kBy8[rank] : kBy16[rank]};
}

/// Row-major; groups are an axis of their own in oneDNN.
memory::desc weight_desc(const Shape& shape, int64_t groups) {
  memory::dims dims = onednn::to_dims(shape.extents());
  memory::dims strides = onednn::row_major_strides(shape);
  if (groups > 1) {
    dims[0] /= groups;
    strides.insert(strides.begin(), strides[0] * dims[0]);
    dims.insert(dims.begin(), groups);
  }
  return {dims, memory::data_type::f32, strides};
}

memory::desc any_format(const memory::desc& desc) {
  return {desc.dims(), desc.data_type(), memory::format_tag::any};
}

/// The formats of images that a convolution works on.
enum class Images { as_liked, as_stored, channels_last };

/// One way of computing a convolution.
struct Way {
  std::string name;
  algorithm how = algorithm::convolution_direct;
  Images images = Images::as_liked;
};

memory::desc wanted_images(const memory::desc& stored, Images wanted) {
  using Tag = memory::format_tag;
  constexpr Tag kChannelsLast[] = {Tag::nwc, Tag::nhwc, Tag::ndhwc};
  switch (wanted) {
    case Images::as_liked:
      return any_format(stored);
    case Images::as_stored:
      return stored;
    case Images::channels_last:
      const memory::dims dims = stored.dims();
      return {dims, stored.data_type(), kChannelsLast[dims.size() - 3]};
  }
  return stored;
}

/// A convolution or a gradient of one: forward maps x with w to y.
struct Convolution {
  memory::desc x, w, y;  // as Wick stores them
  memory::desc wanted_x, wanted_w, wanted_y;
  memory::dims stride, padding, dilation;
  algorithm how;

  Convolution(const ir::Attributes& attributes,
              const Shape& x_shape,
              const Shape& w_shape,
              const Shape& y_shape,
              const Way& way)
      : x(stored_images(x_shape, w_shape)),
        w(weight_desc(w_shape, attributes.integer("groups", 1))),
        y(stored_images(y_shape, w_shape)),
        wanted_x(wanted_images(x, way.images)),
        wanted_w(any_format(w)),
        wanted_y(wanted_images(y, way.images)),
        how(way.how) {
    const auto rank = static_cast<size_t>(w_shape.ndim()) - 2;
    const auto per_axis = [&](const char* name, int64_t fallback) {
      const std::vector<int64_t>& values = attributes.integers(name);
      return values.empty() ? memory::dims(rank, fallback) : onednn::to_dims(values);
    };
    stride = per_axis("stride", 1);
    padding = per_axis("padding", 0);
    dilation = per_axis("dilation", 1);
    for (auto& d : dilation)
      d -= 1;  // oneDNN counts the skipped elements
  }

  [[nodiscard]] dnnl::convolution_forward::primitive_desc forward() const {
    return {{dnnl::prop_kind::forward_training,
             how,
             wanted_x,
             wanted_w,
             wanted_y,
             stride,
             dilation,
             padding,
             padding},
            onednn::user_scratchpad(),
            onednn::engine()};
  }
};

template <typename PrimitiveDesc>
std::string describe(const PrimitiveDesc& desc) {
  return fmt::format("onednn {}", desc.impl_info_str());
}

PrimitiveSpec forward(const LibraryOp& op, const Way& way) {
  const Convolution c(
      op.attributes, op.operands[0].shape, op.operands[1].shape, op.result.shape, way);
  const auto desc = c.forward();
  return {.implementation = describe(desc),
          .primitive = dnnl::convolution_forward(desc),
          .operands = {{DNNL_ARG_SRC, c.x, desc.src_desc()},
                       {DNNL_ARG_WEIGHTS, c.w, desc.weights_desc()}},
          .result = {DNNL_ARG_DST, c.y, desc.dst_desc()},
          .scratchpad = desc.scratchpad_desc()};
}

PrimitiveSpec input_grad(const LibraryOp& op, const Way& way) {
  const Convolution c(
      op.attributes, op.result.shape, op.operands[1].shape, op.operands[0].shape, way);
  const dnnl::convolution_backward_data::primitive_desc desc(
      {c.how, c.wanted_x, c.wanted_w, c.wanted_y, c.stride, c.dilation, c.padding, c.padding},
      onednn::user_scratchpad(),
      onednn::engine(),
      c.forward());
  return {.implementation = describe(desc),
          .primitive = dnnl::convolution_backward_data(desc),
          .operands = {{DNNL_ARG_DIFF_DST, c.y, desc.diff_dst_desc()},
                       {DNNL_ARG_WEIGHTS, c.w, desc.weights_desc()}},
          .result = {DNNL_ARG_DIFF_SRC, c.x, desc.diff_src_desc()},
          .scratchpad = desc.scratchpad_desc()};
}

PrimitiveSpec weight_grad(const LibraryOp& op, const Way& way) {
  const Convolution c(
      op.attributes, op.operands[0].shape, op.result.shape, op.operands[1].shape, way);
  const dnnl::convolution_backward_weights::primitive_desc desc(
      {c.how, c.wanted_x, c.wanted_w, c.wanted_y, c.stride, c.dilation, c.padding, c.padding},
      onednn::user_scratchpad(),
      onednn::engine(),
      c.forward());
  return {.implementation = describe(desc),
          .primitive = dnnl::convolution_backward_weights(desc),
          .operands = {{DNNL_ARG_SRC, c.x, desc.src_desc()},
                       {DNNL_ARG_DIFF_DST, c.y, desc.diff_dst_desc()}},
          .result = {DNNL_ARG_DIFF_WEIGHTS, c.w, desc.diff_weights_desc()},
          .scratchpad = desc.scratchpad_desc()};
}

/// Images of x and of the cotangent, summed over in parts.
std::unique_ptr<HostCall> split_weight_grad(const LibraryOp& op, const Way& way) {
  const Type& x = op.operands[0];
  const Type& y = op.operands[1];
  const auto part_of = [&](int64_t images) {
    LibraryOp part = op;
    for (Type& operand : part.operands)
      operand.shape.set(0, images);
    return weight_grad(part, way);
  };
  return onednn::make_batch_split({.images = x.shape[0],
                                   .first_stride = x.numel() / x.shape[0],
                                   .second_stride = y.numel() / y.shape[0],
                                   .result_elements = op.result.numel(),
                                   .part = part_of});
}

PrimitiveSpec spec_of(const LibraryOp& op, const Way& way) {
  if (op.op == ir::OpKind::conv) return forward(op, way);
  return op.op == ir::OpKind::conv_input_grad ? input_grad(op, way) : weight_grad(op, way);
}

bool is_by(const PrimitiveSpec& spec, std::string_view text) {
  return spec.implementation.find(text) != std::string::npos;
}

/// A convolution or an input gradient, so many of the images at once.
onednn::ImageLoop loop_of(const LibraryOp& op, int64_t images, const Way& way) {
  LibraryOp some = op;
  some.operands[0].shape.set(0, images);
  some.result.shape.set(0, images);
  return {.calls = op.result.shape[0] / images,
          .operand_stride = some.operands[0].numel(),
          .result_stride = some.result.numel(),
          .call = spec_of(some, way),
          .calls_are = images == 1 ? "image by image" : fmt::format("{} images at once", images)};
}

std::unique_ptr<HostCall> image_by_image(const LibraryOp& op, const Way& way) {
  const ThreadCountScope one_thread(1);
  return onednn::make_image_loop(loop_of(op, 1, way));
}

/// Halves of the batch, or halves of these, where oneDNN's Winograd would have a large scratch and
/// the part's images, transformed, are no less than weights are.
int64_t images_at_once(const LibraryOp& op, size_t scratch_bytes) {
  constexpr size_t kLargeScratch = size_t{80} << 20U;
  int64_t images = op.result.shape[0];
  const int64_t of_one = (op.operands[0].numel() + op.result.numel()) / images;
  while (images % 2 == 0 && scratch_bytes > kLargeScratch &&
         images / 2 * of_one >= op.operands[1].numel()) {
    images /= 2;
    scratch_bytes /= 2;
  }
  return images;
}

std::unique_ptr<HostCall> make_call(const LibraryOp& op, const Way& way) {
  if (op.op == ir::OpKind::conv_weight_grad) return split_weight_grad(op, way);
  PrimitiveSpec spec = spec_of(op, way);
  spec.multiplications = static_cast<int64_t>(flops(op) / 2);
  if (is_by(spec, "gemm")) return image_by_image(op, way);
  if (way.how == algorithm::convolution_winograd) {
    const int64_t images = images_at_once(op, spec.scratchpad.get_size());
    if (images < op.result.shape[0]) return onednn::make_loop_of_parts(loop_of(op, images, way));
  }
  return onednn::make_primitive_call(std::move(spec));
}

const Shape& weight_shape(const LibraryOp& op) {
  return op.op == ir::OpKind::conv_weight_grad ? op.result.shape : op.operands[1].shape;
}

/// Whether the layouts that oneDNN likes best for the images are those in which they are stored,
/// so that both direct ways are one.
bool likes_images_as_stored(const LibraryOp& op) {
  const PrimitiveSpec spec = spec_of(op, {.name = "direct"});
  const auto stays = [](const onednn::PrimitiveArg& arg) {
    const bool is_weight = arg.id == DNNL_ARG_WEIGHTS || arg.id == DNNL_ARG_DIFF_WEIGHTS;
    return is_weight || arg.plain == arg.wanted;
  };
  return stays(spec.result) && std::ranges::all_of(spec.operands, stays);
}

/// Whether these formats give a way worth trying. oneDNN covers all of them by plain loops, a
/// hundred times slower than anything else; by matrix products channels last have not been faster
/// than images as stored.
bool is_promising(const LibraryOp& op, const Way& way) {
  const PrimitiveSpec spec = spec_of(op, way);
  return !is_by(spec, "ref") && !(way.images == Images::channels_last && is_by(spec, "gemm"));
}

/// Blocks of channels would be filled up with zeros, which is work and memory for nothing.
bool has_odd_channels(const LibraryOp& op) {
  constexpr int64_t kLargestBlock = 16;
  const Shape& w = weight_shape(op);
  const int64_t groups = op.attributes.integer("groups", 1);
  return w[0] % kLargestBlock != 0 || w[1] * groups % kLargestBlock != 0;
}

bool is_one(const LibraryOp& op, const char* name) {
  return std::ranges::all_of(op.attributes.integers(name), [](int64_t n) { return n == 1; });
}

/// Winograd's algorithm (Lavin and Gray, 2016) is for dense square windows. There is none of oneDNN
/// where there is none of ours.
bool may_use_winograd(const LibraryOp& op) {
  const Shape& w = weight_shape(op);
  return !options().direct_convolutions && w.ndim() == 4 && w[2] == w[3] &&
         op.attributes.integer("groups", 1) == 1 && is_one(op, "dilation") &&
         onednn::make_winograd(op) != nullptr;
}

Candidate pointwise_way(const LibraryOp& op) {
  return {
      "pointwise",
      op.op == ir::OpKind::conv_weight_grad ? make_pointwise_gradient : make_pointwise_convolution};
}

/// With AVX-512, where no strides make it a matter of memory, ours need no timing: gradients of
/// weights, and of many channels the others too, as far as AMD's cores tell.
bool is_best_pointwise(const LibraryOp& op) {
  constexpr int64_t kManyChannels = 48;
  if (!is_pointwise(op) || vector_lanes() < 16 || !is_one(op, "stride")) return false;
  const Shape& w = weight_shape(op);
  return op.op == ir::OpKind::conv_weight_grad ||
         (is_amd() && std::min(w[0], w[1]) >= kManyChannels);
}

/// Ours or oneDNN's, as timing tells. With AVX2 oneDNN's gradients of the weights of many channels
/// take 0.7 to 0.9 of the time of ours.
bool may_be_pointwise(const LibraryOp& op) {
  constexpr int64_t kFewChannels = 32;
  if (!is_pointwise(op)) return false;
  if (op.op != ir::OpKind::conv_weight_grad) return !is_one(op, "stride");
  const Shape& w = weight_shape(op);
  return vector_lanes() >= 16 || std::min(w[0], w[1]) <= kFewChannels;
}

std::vector<Way> ways_of(const LibraryOp& op) {
  std::vector<Way> ways = {{.name = "direct"},
                           {.name = "direct-as-stored", .images = Images::as_stored}};
  if (has_odd_channels(op)) {
    ways.push_back({.name = "direct-channels-last", .images = Images::channels_last});
  }
  // Of weights' gradients it needs several times the memory of our own, and as much time.
  if (may_use_winograd(op) && is_one(op, "stride") && onednn::has_avx512() &&
      op.op != ir::OpKind::conv_weight_grad) {
    ways.push_back({.name = "winograd", .how = algorithm::convolution_winograd});
  }
  return ways;
}

/// Null for a way that is no way of its own.
std::unique_ptr<HostCall> make_candidate(const LibraryOp& op, const Way& way) {
  try {
    if (way.images == Images::as_stored && likes_images_as_stored(op)) return nullptr;
    if (way.images != Images::as_liked && !is_promising(op, way)) return nullptr;
    // Products of one channel at a time take ten times as long as sums of taps.
    if (is_depthwise_gradient(op) && is_by(spec_of(op, way), "gemm")) return nullptr;
    return make_call(op, way);
  } catch (const dnnl::error&) {
    return nullptr;  // oneDNN has no such implementation
  }
}

Shape with_rows(const Shape& shape) {
  std::vector<int64_t> extents(shape.extents().begin(), shape.extents().end());
  extents.insert(extents.begin() + 2, 1);
  return Shape(std::span<const int64_t>(extents));
}

/// A convolution along one axis as one of images of one row, for which oneDNN has more kernels.
LibraryOp with_rows(LibraryOp op) {
  for (Type& operand : op.operands)
    operand.shape = with_rows(operand.shape);
  op.result.shape = with_rows(op.result.shape);
  const auto put_first = [&](const char* name, size_t at, int64_t value) {
    std::vector<int64_t> values = op.attributes.integers(name);
    if (values.empty()) return;
    values.insert(values.begin() + static_cast<std::ptrdiff_t>(at), value);
    op.attributes.set(name, std::move(values));
  };
  put_first("stride", 0, 1);
  put_first("padding", 0, 0);
  put_first("dilation", 0, 1);
  put_first("input_shape", 2, 1);
  put_first("weight_shape", 2, 1);
  return op;
}

bool has_elements(const LibraryOp& op) {
  const auto some = [](const Type& type) { return type.numel() > 0; };
  return some(op.result) && std::ranges::all_of(op.operands, some);
}

/// As many of the images as take some milliseconds: what is fastest for them is for all. Where
/// weights are transformed, at least as many as are no smaller than these. Equal parts of all,
/// which fill what the ways cut them in no less than all do. Of 100 layers of 0.6 to 8e9 operations
/// the choice by 1e9, 5e8 and 2.5e8 was equally good (AVX2: within 1.07 of the fastest).
LibraryOp sample_of(LibraryOp op) {
  constexpr double kEnough = 3e8;  // floating-point operations
  Type& some = op.operands[0];
  Type& others = op.op == ir::OpKind::conv_weight_grad ? op.operands[1] : op.result;
  const int64_t all = some.shape[0];
  auto images = static_cast<int64_t>(static_cast<double>(all) * kEnough / flops(op));
  if (may_use_winograd(op)) {
    const int64_t of_one = (some.numel() + others.numel()) / all;
    images = std::max(images, weight_shape(op).numel() / of_one);
  }
  images = ceil_div(all, all / std::clamp<int64_t>(images, 1, all));
  some.shape.set(0, images);
  others.shape.set(0, images);
  if (std::vector<int64_t> input = op.attributes.integers("input_shape"); !input.empty()) {
    input[0] = images;
    op.attributes.set("input_shape", std::move(input));
  }
  return op;
}

/// Loops of our own over images as they are stored, which exist for some ops.
std::vector<Candidate> own_ways(const LibraryOp& op) {
  const bool is_gradient = is_depthwise_gradient(op);
  std::vector<Candidate> ways;
  for (const int64_t lanes : {16, 8}) {
    const char* of_lanes = lanes == 16 ? "-of-16" : "";
    ways.push_back(
        {fmt::format("{}{}", is_gradient ? "taps" : "rows", of_lanes), [=](const LibraryOp& op) {
           return is_gradient ? make_depthwise_gradient_of_lanes(op, lanes)
                              : make_row_convolution_of_lanes(op, lanes);
         }});
  }
  return ways;
}

}  // namespace

std::vector<Candidate> onednn::convolution_ways(const LibraryOp& op) {
  if (is_best_pointwise(op)) return {pointwise_way(op)};
  std::vector<Candidate> candidates;
  const bool has_groups = op.attributes.integer("groups", 1) > 1;
  // Tiny ones are not timed, and take several times as long where blocks are filled up with zeros.
  if (has_odd_channels(op) && !has_groups) candidates = own_ways(op);
  if (weight_shape(op).ndim() == 3 && has_groups) {
    candidates.push_back({"direct-with-rows", [](const LibraryOp& op) {
                            return make_candidate(with_rows(op), {.name = "direct"});
                          }});
  }
  if (may_be_pointwise(op)) candidates.push_back(pointwise_way(op));
  for (const Way& way : ways_of(op))
    candidates.push_back(
        {way.name, [way](const LibraryOp& op) { return make_candidate(op, way); }});
  const bool has_winograd = may_use_winograd(op);
  if (has_winograd) candidates.push_back({"winograd-by-parts", make_winograd});
  if (may_multiply_pixels(op) && !is_pointwise(op) && !has_winograd) {
    candidates.push_back({"product", make_product_gradient});
  }
  if (has_groups) std::ranges::move(own_ways(op), std::back_inserter(candidates));
  return candidates;
}

std::unique_ptr<HostCall> make_onednn_convolution(const LibraryOp& op) {
  using ir::OpKind;
  const bool is_convolution = op.op == OpKind::conv || op.op == OpKind::conv_input_grad ||
                              op.op == OpKind::conv_weight_grad;
  if (!is_convolution || op.result.dtype != DType::f32 || !has_elements(op)) return nullptr;
  return fastest_call(op, sample_of(op), onednn::description(), onednn::convolution_ways(op));
}

}  // namespace wick::runtime
