// f32 gradients of the weights of convolutions with windows of one pixel, of images with their
// channels in blocks: the product of a matrix of outputs and pixels and one of pixels and inputs.
// A block of one side's channels is a row of every tile, a block of the other's a vector, both read
// where they lie. What is summed in which order depends on the shape alone.

#include "wick/runtime/pointwise_gradient.h"

#include <algorithm>
#include <vector>

#include "wick/ir/channel_blocks.h"
#include "wick/runtime/convolution_axis.h"
#include "wick/runtime/division.h"
#include "wick/runtime/even_parts.h"
#include "wick/runtime/host_cpu.h"
#include "wick/runtime/parallel.h"
#include "wick/runtime/pixel_sums.h"
#include "wick/runtime/vector_lanes.h"

namespace wick::runtime {
namespace {

/// Images as blocks of planes.
struct Planes {
  int64_t blocks;  // of channels
  int64_t pixels;
  int64_t lanes;

  [[nodiscard]] int64_t channels() const { return blocks * lanes; }

  /// Of a pixel, in elements.
  [[nodiscard]] int64_t offset(int64_t image, int64_t block, int64_t pixel) const {
    return ((image * blocks + block) * pixels + pixel) * lanes;
  }
};

Planes planes_of(const Shape& images, const Shape& weight, int64_t lanes) {
  const Shape plain = ir::plain_images(images, weight);
  return {.blocks = plain[1] / lanes, .pixels = plain[2] * plain[3], .lanes = lanes};
}

/// Pixels that lie side by side in an image.
struct Stretch {
  int64_t image;
  int64_t output;  // the first pixel
  int64_t input;
  int64_t count;
};

/// Long enough that a tile's sums are stored rarely, and so few that those of some blocks of
/// channels stay in a core's own cache.
constexpr int64_t kMostPixels = 800;

/// All pixels of the cotangent; of each stretch the inputs are equally far apart.
std::vector<Stretch> stretches_of(int64_t images,
                                  const ConvolutionAxis& rows,
                                  const ConvolutionAxis& columns) {
  std::vector<Stretch> all;
  const bool is_dense = rows.stride == 1 && columns.stride == 1;
  const int64_t row = is_dense ? rows.output * columns.output : columns.output;
  const int64_t of_image = rows.output * columns.output / row;
  const EvenParts parts(row, kMostPixels);
  for (int64_t image = 0; image < images; ++image) {
    for (int64_t i = 0; i < of_image; ++i) {
      for (int64_t part = 0; part < parts.count(); ++part) {
        const int64_t first = parts.begin(part);
        all.push_back({.image = image,
                       .output = i * row + first,
                       .input = i * rows.stride * columns.input + first * columns.stride,
                       .count = parts.size(part)});
      }
    }
  }
  return all;
}

struct Range {
  size_t begin;
  size_t end;
};

/// As many as have at most kMostPixels.
std::vector<Range> groups_of(const std::vector<Stretch>& stretches) {
  std::vector<Range> groups;
  int64_t pixels = kMostPixels;
  for (size_t i = 0; i < stretches.size(); ++i) {
    pixels += stretches[i].count;
    if (pixels > kMostPixels) {
      groups.push_back({i, i});
      pixels = stretches[i].count;
    }
    groups.back().end = i + 1;
  }
  return groups;
}

class PointwiseGradient final : public HostCall {
 public:
  PointwiseGradient(const LibraryOp& op, const PixelSums& sums)
      : sums_(sums),
        inputs_(planes_of(op.operands[0].shape, op.result.shape, sums.lanes)),
        outputs_(planes_of(op.operands[1].shape, op.result.shape, sums.lanes)) {
    const Shape& weight = op.result.shape;
    const Shape input = ir::plain_images(op.operands[0].shape, weight);
    const Shape cotangent = ir::plain_images(op.operands[1].shape, weight);
    const ConvolutionAxis columns = convolution_axis(op.attributes, input, weight, cotangent, 3);
    stretches_ = stretches_of(
        input[0], convolution_axis(op.attributes, input, weight, cotangent, 2), columns);
    groups_ = groups_of(stretches_);
    input_step_ = columns.stride * sums.lanes;
    multiplications_ = cotangent.numel() * inputs_.channels();
  }

  std::string_view implementation() const override { return "pointwise gradient"; }

  void run(const void* const* operands, void* result, std::byte* /*scratch*/) const override {
    const Data data{static_cast<const float*>(operands[0]),
                    static_cast<const float*>(operands[1]),
                    static_cast<float*>(result)};
    const bool cuts_outputs = outputs_.blocks >= inputs_.blocks;
    const int64_t blocks = cuts_outputs ? outputs_.blocks : inputs_.blocks;
    const int64_t threads = std::min<int64_t>(blocks, threads_worth_waking(multiplications_));
    parallel_for(threads, [&](int64_t thread) {
      const Blocks some{blocks * thread / threads, blocks * (thread + 1) / threads};
      cuts_outputs ? sum_blocks(data, some, {0, inputs_.blocks})
                   : sum_blocks(data, {0, outputs_.blocks}, some);
    });
  }

 private:
  struct Data {
    const float* input;
    const float* cotangent;
    float* gradient;
  };

  struct Blocks {
    int64_t begin;
    int64_t end;
  };

  /// Images are read once from memory; the cotangents of some blocks meet all inputs while they are
  /// in the cache.
  void sum_blocks(const Data& data, Blocks outputs, Blocks inputs) const {
    const int64_t block_bytes = kMostPixels * sums_.lanes * static_cast<int64_t>(sizeof(float));
    const int64_t step = std::max<int64_t>(1, core_cache_bytes() / 4 / block_bytes);
    for (const Range& group : groups_) {
      for (int64_t first = outputs.begin; first < outputs.end; first += step) {
        const int64_t end = std::min(outputs.end, first + step);
        for (int64_t input = inputs.begin; input < inputs.end; ++input) {
          for (int64_t output = first; output < end; ++output)
            sum_pixels(data, group, output, input);
        }
      }
    }
  }

  void sum_pixels(const Data& data, Range group, int64_t output, int64_t input) const {
    constexpr size_t kAtOnce = 32;
    PixelRun runs[kAtOnce];
    float* out = data.gradient + (output * inputs_.channels() + input) * sums_.lanes;
    for (size_t i = group.begin; i < group.end; i += kAtOnce) {
      const size_t count = std::min(kAtOnce, group.end - i);
      for (size_t run = 0; run < count; ++run) {
        const Stretch& pixels = stretches_[i + run];
        runs[run] = {
            .cotangent = data.cotangent + outputs_.offset(pixels.image, output, pixels.output),
            .input = data.input + inputs_.offset(pixels.image, input, pixels.input),
            .pixels = pixels.count,
            .input_step = input_step_};
      }
      sums_.sum({runs, count}, out, inputs_.channels(), i > 0);
    }
  }

  const PixelSums& sums_;
  Planes inputs_;
  Planes outputs_;
  std::vector<Stretch> stretches_;
  std::vector<Range> groups_;  // of stretches, which are summed up together
  int64_t input_step_ = 0;
  int64_t multiplications_ = 0;
};

}  // namespace

bool is_pointwise_gradient(const LibraryOp& op) {
  if (op.op != ir::OpKind::conv_weight_grad || op.attributes.integer("groups", 1) != 1)
    return false;
  const Shape& weight = op.result.shape;
  if (weight.ndim() != 4 || weight[2] != 1 || weight[3] != 1) return false;
  const auto is_vector = [&](const Type& images) {
    const int64_t block = ir::channel_block(images.shape, weight);
    return (block == 8 || block == 16) && block <= vector_lanes();
  };
  return std::ranges::all_of(op.operands, is_vector) &&
         ir::channel_block(op.operands[0].shape, weight) ==
             ir::channel_block(op.operands[1].shape, weight) &&
         std::ranges::all_of(op.attributes.integers("padding"), [](int64_t n) { return n == 0; });
}

std::unique_ptr<HostCall> make_pointwise_gradient(const LibraryOp& op) {
  const bool has_wide = ir::channel_block(op.operands[0].shape, op.result.shape) == 16;
  return std::make_unique<PointwiseGradient>(op, has_wide ? pixel_sums<16>() : pixel_sums<8>());
}

}  // namespace wick::runtime
