#include "wick/runtime/onednn/product_gradient.h"

#include <algorithm>

#include "wick/ir/channel_blocks.h"
#include "wick/runtime/convolution_axis.h"
#include "wick/runtime/onednn/sgemm.h"
#include "wick/runtime/parallel.h"

namespace wick::runtime::onednn {
namespace {

/// Windows over images with channels in blocks: all pixels of a window, for each of its places.
struct Windows {
  int64_t images;
  int64_t channels;
  int64_t block;
  ConvolutionAxis rows;
  ConvolutionAxis columns;

  [[nodiscard]] int64_t places() const { return images * rows.output * columns.output; }

  [[nodiscard]] int64_t taps() const { return rows.window * columns.window; }

  /// Of a place, in a row of the matrix.
  [[nodiscard]] int64_t elements() const { return taps() * channels; }

  /// From place to place as they are laid out: a line of the cache more than there are elements,
  /// since powers of two would meet in few lines.
  [[nodiscard]] int64_t pitch() const { return elements() + 16; }

  void lay_out(const float* from, float* to) const {
    constexpr int64_t kGrain = 16384;  // elements
    const int64_t row_elements = columns.output * pitch();
    parallel_ranges(
        images * rows.output, 1 + kGrain / row_elements, [&](int64_t begin, int64_t end) {
          for (int64_t i = begin; i < end; ++i)
            lay_out_row(from + i / rows.output * channels * rows.input * columns.input,
                        i % rows.output,
                        to + i * row_elements);
        });
  }

 private:
  /// The windows at one row of places.
  void lay_out_row(const float* image, int64_t at_row, float* to) const {
    for (int64_t at_column = 0; at_column < columns.output; ++at_column, to += pitch()) {
      float* tap = to;
      for (int64_t i = 0; i < rows.window; ++i) {
        const int64_t row = at_row * rows.stride + i * rows.dilation - rows.padding;
        for (int64_t j = 0; j < columns.window; ++j, tap += channels) {
          const int64_t column =
              at_column * columns.stride + j * columns.dilation - columns.padding;
          lay_out_pixel(image, row, column, tap);
        }
      }
    }
  }

  /// Zeros for the padding.
  void lay_out_pixel(const float* image, int64_t row, int64_t column, float* to) const {
    if (row < 0 || row >= rows.input || column < 0 || column >= columns.input) {
      std::fill_n(to, channels, 0.0F);
      return;
    }
    const float* from = image + (row * columns.input + column) * block;
    block == 16 ? copy_blocks<16>(from, to) : copy_blocks<8>(from, to);
  }

  /// Of a size that the compiler knows, not by a call for each.
  template <int64_t kBlock>
  void copy_blocks(const float* from, float* to) const {
    const int64_t plane = rows.input * columns.input * kBlock;
    for (int64_t channel = 0; channel < channels; channel += kBlock, from += plane)
      std::copy_n(from, kBlock, to + channel);
  }
};

/// Of the images that the convolution reads.
Windows windows_of(const LibraryOp& op) {
  const Shape& weight = op.result.shape;
  const Shape input = ir::plain_images(op.operands[0].shape, weight);
  const Shape cotangent = ir::plain_images(op.operands[1].shape, weight);
  return {.images = input[0],
          .channels = input[1],
          .block = ir::channel_block(op.operands[0].shape, weight),
          .rows = convolution_axis(op.attributes, input, weight, cotangent, 2),
          .columns = convolution_axis(op.attributes, input, weight, cotangent, 3)};
}

/// Each pixel of the cotangent by itself.
Windows pixels_of(const LibraryOp& op) {
  const Shape& weight = op.result.shape;
  const Shape cotangent = ir::plain_images(op.operands[1].shape, weight);
  return {.images = cotangent[0],
          .channels = cotangent[1],
          .block = ir::channel_block(op.operands[1].shape, weight),
          .rows = {.input = cotangent[2], .output = cotangent[2]},
          .columns = {.input = cotangent[3], .output = cotangent[3]}};
}

MatmulShape product_of(const Windows& inputs, const Windows& outputs) {
  const auto matrix = [](int64_t rows, int64_t columns) {
    return Type{DType::f32, {rows, columns}};
  };
  return matmul_shape({.op = ir::OpKind::matmul,
                       .attributes = {{"transpose_lhs", true}},
                       .operands = {matrix(outputs.places(), outputs.channels),
                                    matrix(inputs.places(), inputs.elements())},
                       .result = matrix(outputs.channels, inputs.elements())});
}

class ProductGradient final : public HostCall {
 public:
  ProductGradient(const Windows& inputs, const Windows& outputs)
      : ProductGradient(inputs, outputs, product_of(inputs, outputs)) {}

  std::string_view implementation() const override { return "onednn sgemm of pixels"; }

  size_t scratch_bytes() const override {
    const int64_t laid_out = inputs_.places() * (inputs_.pitch() + outputs_.pitch());
    const int64_t product = outputs_.channels * inputs_.elements();
    return static_cast<size_t>(laid_out + product) * sizeof(float);
  }

  void run(const void* const* operands, void* result, std::byte* scratch) const override {
    auto* inputs = reinterpret_cast<float*>(scratch);
    float* outputs = inputs + inputs_.places() * inputs_.pitch();
    inputs_.lay_out(static_cast<const float*>(operands[0]), inputs);
    outputs_.lay_out(static_cast<const float*>(operands[1]), outputs);
    const void* const laid_out[] = {outputs, inputs};
    float* taps_first = outputs + outputs_.places() * outputs_.pitch();
    product_.run(laid_out, taps_first, nullptr);
    put_taps_last(taps_first, static_cast<float*>(result));
  }

 private:
  ProductGradient(const Windows& inputs, const Windows& outputs, const MatmulShape& product)
      : inputs_(inputs),
        outputs_(outputs),
        product_(
            sgemm_library, product, {outputs.pitch(), inputs.pitch()}, sums_in_one_order(product)) {
  }

  /// [outputs,taps,inputs] as [outputs,inputs,taps].
  void put_taps_last(const float* from, float* to) const {
    constexpr int64_t kGrain = 16384;  // elements
    const int64_t taps = inputs_.taps();
    const int64_t channels = inputs_.channels;
    const int64_t elements = inputs_.elements();
    parallel_ranges(outputs_.channels, 1 + kGrain / elements, [&](int64_t begin, int64_t end) {
      for (int64_t output = begin; output < end; ++output) {
        const float* row = from + output * elements;
        float* out = to + output * elements;
        for (int64_t channel = 0; channel < channels; ++channel) {
          for (int64_t tap = 0; tap < taps; ++tap)
            *out++ = row[tap * channels + channel];
        }
      }
    });
  }

  Windows inputs_;
  Windows outputs_;
  GemmCall<float> product_;
};

}  // namespace

bool may_multiply_pixels(const LibraryOp& op) {
  if (op.op != ir::OpKind::conv_weight_grad || op.attributes.integer("groups", 1) != 1)
    return false;
  const Shape& weight = op.result.shape;
  if (weight.ndim() != 4) return false;
  for (const Type& images : op.operands) {
    if (ir::channel_block(images.shape, weight) == 1) return false;
  }
  constexpr int64_t kFew = 4;  // elements laid out for one of the result
  const int64_t pixels = op.operands[1].numel() / weight[0];
  return pixels * (weight[0] + weight.numel() / weight[0]) <= kFew * weight.numel();
}

std::unique_ptr<HostCall> make_product_gradient(const LibraryOp& op) {
  return std::make_unique<ProductGradient>(windows_of(op), pixels_of(op));
}

}  // namespace wick::runtime::onednn
