#include "wick/runtime/onednn/pointwise_gradient.h"

#include <algorithm>

#include "wick/ir/channel_blocks.h"
#include "wick/runtime/onednn/sgemm.h"
#include "wick/runtime/parallel.h"

namespace wick::runtime::onednn {
namespace {

/// Every so-manieth pixel of images with channels in blocks.
struct Pixels {
  int64_t images;
  int64_t channels;
  int64_t block;
  int64_t height;  // of the images
  int64_t width;
  int64_t rows;  // that are taken
  int64_t columns;
  int64_t row_step;
  int64_t column_step;

  [[nodiscard]] int64_t count() const { return images * rows * columns; }

  /// From pixel to pixel as they are laid out: a line of the cache more than there are channels,
  /// since powers of two would meet in few lines.
  [[nodiscard]] int64_t pitch() const { return channels + 16; }

  void lay_out(const float* from, float* to) const {
    constexpr int64_t kGrain = 16384;  // elements
    const int64_t blocks = channels / block;
    const int64_t elements = rows * columns * block;
    parallel_ranges(images * blocks, 1 + kGrain / elements, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i)
        lay_out_block(from + i * height * width * block,
                      to + i / blocks * rows * columns * pitch() + i % blocks * block);
    });
  }

 private:
  void lay_out_block(const float* from, float* to) const {
    for (int64_t row = 0; row < rows; ++row) {
      const float* pixel = from + row * row_step * width * block;
      for (int64_t column = 0; column < columns; ++column) {
        std::copy_n(pixel, block, to);
        pixel += column_step * block;
        to += pitch();
      }
    }
  }
};

int64_t stride_of(const LibraryOp& op, size_t axis) {
  const std::vector<int64_t>& strides = op.attributes.integers("stride");
  return strides.empty() ? 1 : strides[axis];
}

/// Those of the cotangent's shape, `row_step` and `column_step` apart.
Pixels pixels_of(const LibraryOp& op, const Shape& images, int64_t row_step, int64_t column_step) {
  const Shape& weight = op.result.shape;
  const Shape plain = ir::plain_images(images, weight);
  const Shape cotangent = ir::plain_images(op.operands[1].shape, weight);
  return {.images = plain[0],
          .channels = plain[1],
          .block = ir::channel_block(images, weight),
          .height = plain[2],
          .width = plain[3],
          .rows = cotangent[2],
          .columns = cotangent[3],
          .row_step = row_step,
          .column_step = column_step};
}

MatmulShape product_of(const Pixels& inputs, const Pixels& outputs) {
  const auto matrix = [](int64_t rows, int64_t columns) {
    return Type{DType::f32, {rows, columns}};
  };
  return matmul_shape({.op = ir::OpKind::matmul,
                       .attributes = {{"transpose_lhs", true}},
                       .operands = {matrix(outputs.count(), outputs.channels),
                                    matrix(inputs.count(), inputs.channels)},
                       .result = matrix(outputs.channels, inputs.channels)});
}

class PointwiseGradient final : public HostCall {
 public:
  PointwiseGradient(const Pixels& inputs, const Pixels& outputs)
      : PointwiseGradient(inputs, outputs, product_of(inputs, outputs)) {}

  std::string_view implementation() const override { return "onednn sgemm of pixels"; }

  size_t scratch_bytes() const override {
    const int64_t elements = inputs_.count() * (inputs_.pitch() + outputs_.pitch());
    return static_cast<size_t>(elements) * sizeof(float);
  }

  void run(const void* const* operands, void* result, std::byte* scratch) const override {
    auto* inputs = reinterpret_cast<float*>(scratch);
    float* outputs = inputs + inputs_.count() * inputs_.pitch();
    inputs_.lay_out(static_cast<const float*>(operands[0]), inputs);
    outputs_.lay_out(static_cast<const float*>(operands[1]), outputs);
    const void* const laid_out[] = {outputs, inputs};
    product_.run(laid_out, result, nullptr);
  }

 private:
  PointwiseGradient(const Pixels& inputs, const Pixels& outputs, const MatmulShape& product)
      : inputs_(inputs),
        outputs_(outputs),
        product_(
            sgemm_library, product, {outputs.pitch(), inputs.pitch()}, sums_in_one_order(product)) {
  }

  Pixels inputs_;
  Pixels outputs_;
  GemmCall<float> product_;
};

}  // namespace

bool may_multiply_pixels(const LibraryOp& op) {
  if (op.op != ir::OpKind::conv_weight_grad || op.attributes.integer("groups", 1) != 1)
    return false;
  const Shape& weight = op.result.shape;
  const auto& padding = op.attributes.integers("padding");
  if (weight.ndim() != 4 || weight[2] != 1 || weight[3] != 1) return false;
  if (std::ranges::any_of(padding, [](int64_t n) { return n != 0; })) return false;
  for (const Type& images : op.operands) {
    if (ir::channel_block(images.shape, weight) == 1) return false;
  }
  constexpr int64_t kFew = 4;  // elements laid out for one of the result
  const int64_t pixels = op.operands[1].numel() / weight[0];
  return pixels * (weight[0] + weight[1]) <= kFew * weight.numel();
}

std::unique_ptr<HostCall> make_pointwise_gradient(const LibraryOp& op) {
  return std::make_unique<PointwiseGradient>(
      pixels_of(op, op.operands[0].shape, stride_of(op, 0), stride_of(op, 1)),
      pixels_of(op, op.operands[1].shape, 1, 1));
}

}  // namespace wick::runtime::onednn
