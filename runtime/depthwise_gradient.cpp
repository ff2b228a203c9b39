// f32 gradients of the weights of convolutions with one channel in each group. Each element is a
// dot product of a plane of the cotangent and a plane of the input, shifted by the element's place
// in the window: many sums over the same two planes, which are read once for a dozen of them.
// Vectors lie along the rows of plain images, and along the channels of images that have them in
// blocks. What is summed in which order depends on the shape alone.

#include "wick/runtime/depthwise_gradient.h"

#include <algorithm>
#include <vector>

#include "wick/ir/channel_blocks.h"
#include "wick/runtime/convolution_axis.h"
#include "wick/runtime/division.h"
#include "wick/runtime/even_parts.h"
#include "wick/runtime/image_rows.h"
#include "wick/runtime/parallel.h"
#include "wick/runtime/tap_sums.h"
#include "wick/runtime/vector_lanes.h"

namespace wick::runtime {
namespace {

/// The images of one convolution, and the axes of its windows.
struct Planes {
  int64_t images;
  int64_t channels;
  int64_t block;  // channels that lie side by side; 1: plain images
  ConvolutionAxis rows;
  ConvolutionAxis columns;

  [[nodiscard]] int64_t taps() const { return rows.window * columns.window; }

  /// The rows of the input that some of the cotangent's need.
  [[nodiscard]] int64_t source_rows(int64_t cotangent_rows) const {
    return (cotangent_rows - 1) * rows.stride + (rows.window - 1) * rows.dilation + 1;
  }
};

Planes planes_of(const LibraryOp& op) {
  const Shape& weight = op.result.shape;
  const Shape input = ir::plain_images(op.operands[0].shape, weight);
  const Shape cotangent = ir::plain_images(op.operands[1].shape, weight);
  const auto axis = [&](int number) {
    return convolution_axis(op.attributes, input, weight, cotangent, number);
  };
  return {.images = input[0],
          .channels = input[1],
          .block = ir::channel_block(op.operands[0].shape, weight),
          .rows = weight.ndim() == 4 ? axis(2) : ConvolutionAxis{},
          .columns = axis(weight.ndim() - 1)};
}

/// Planes of a vector's channels, laid out for the loops over taps.
class Layout {
 public:
  Layout(const Planes& planes, int64_t lanes) : p_(planes), lanes_(lanes) {
    const ConvolutionAxis& columns = p_.columns;
    const int64_t reach = (columns.window - 1) * columns.dilation;
    if (p_.block > 1) {
      vectors_ = columns.output;
      source_row_ = ((columns.output - 1) * columns.stride + reach + 1) * lanes_;
      return;
    }
    vectors_ = ceil_div(columns.output, lanes_);
    cotangent_ = {.channels = 1,
                  .height = p_.rows.output,
                  .width = columns.output,
                  .pitch = vectors_ * lanes_};
    source_ = {.channels = 1,
               .height = p_.rows.input,
               .width = columns.input,
               .phases = columns.stride,
               .first = floor_div(-columns.padding, columns.stride)};
    const int64_t last = floor_div(reach - columns.padding, columns.stride);
    source_.pitch = cotangent_.pitch + last - source_.first;
    source_row_ = source_.row_elements();
  }

  [[nodiscard]] int64_t source_row() const { return source_row_; }

  [[nodiscard]] int64_t cotangent_row() const { return vectors_ * lanes_; }

  /// Channels whose planes are laid out together.
  [[nodiscard]] int64_t channels() const { return p_.block > 1 ? lanes_ : 1; }

  /// Of the element (row, column) of the window, in the source.
  [[nodiscard]] int64_t offset_of(int64_t row, int64_t column) const {
    const int64_t from_row = row * p_.rows.dilation * source_row_;
    if (p_.block > 1) return from_row + column * p_.columns.dilation * lanes_;
    const int64_t place = column * p_.columns.dilation - p_.columns.padding;
    const int64_t phased = floor_div(place, p_.columns.stride);
    const int64_t phase = place - phased * p_.columns.stride;
    return from_row + phase * source_.pitch + phased - source_.first;
  }

  void lay_out_source(const float* input, int64_t begin, int64_t rows, float* to) const {
    if (p_.block == 1) {
      lay_out_rows(source_, input, begin, rows, to);
      return;
    }
    for (int64_t row = begin; row < begin + rows; ++row, to += source_row_)
      lay_out_pixels(
          row < 0 || row >= p_.rows.input ? nullptr : input + row * p_.columns.input * p_.block,
          to);
  }

  void lay_out_cotangent(const float* cotangent, int64_t begin, int64_t rows, float* to) const {
    if (p_.block == 1) {
      lay_out_rows(cotangent_, cotangent, begin, rows, to);
      return;
    }
    const float* pixel = cotangent + begin * p_.columns.output * p_.block;
    for (int64_t i = 0; i < rows * p_.columns.output; ++i, pixel += p_.block, to += lanes_)
      std::copy_n(pixel, lanes_, to);
  }

  [[nodiscard]] TapRows rows_of(const float* cotangent, const float* source, int64_t rows) const {
    return {.cotangent = cotangent,
            .source = source,
            .rows = rows,
            .cotangent_row = cotangent_row(),
            .source_row = p_.rows.stride * source_row_,
            .vectors = vectors_,
            .cotangent_step = lanes_,
            .source_step = p_.block > 1 ? p_.columns.stride * lanes_ : lanes_};
  }

 private:
  /// A row with zeros for the padding.
  void lay_out_pixels(const float* row, float* to) const {
    const int64_t pixels = source_row_ / lanes_;
    const int64_t padding = p_.columns.padding;
    const int64_t begin = row == nullptr ? pixels : std::min(padding, pixels);
    const int64_t end = std::clamp(p_.columns.input + padding, begin, pixels);
    std::fill_n(to, begin * lanes_, 0.0F);
    for (int64_t pixel = begin; pixel < end; ++pixel)
      std::copy_n(row + (pixel - padding) * p_.block, lanes_, to + pixel * lanes_);
    std::fill_n(to + end * lanes_, (pixels - end) * lanes_, 0.0F);
  }

  Planes p_;
  int64_t lanes_;
  int64_t vectors_ = 0;     // in a row of the cotangent
  int64_t source_row_ = 0;  // elements
  RowLayout cotangent_;     // of plain images
  RowLayout source_;
};

/// Parts of the batch that are summed on their own: enough to keep some cores busy.
int64_t number_of_parts(const Planes& planes, int64_t channels_at_once) {
  constexpr int64_t kTasks = 16;
  const int64_t tasks = planes.channels / channels_at_once;
  return std::clamp<int64_t>(ceil_div(kTasks, tasks), 1, planes.images);
}

class DepthwiseGradient final : public HostCall {
 public:
  DepthwiseGradient(const Planes& planes, const TapKernels& kernels)
      : p_(planes),
        kernels_(kernels),
        layout_(planes, kernels.lanes),
        parts_(number_of_parts(planes, layout_.channels())),
        tasks_(planes.channels / layout_.channels() * parts_),
        threads_(std::min<int64_t>(tasks_, max_threads())),
        strip_(rows_that_fit(layout_.source_row() * static_cast<int64_t>(sizeof(float)),
                             planes.rows.stride,
                             planes.source_rows(1),
                             planes.rows.output)) {
    for (int64_t row = 0; row < p_.rows.window; ++row) {
      for (int64_t column = 0; column < p_.columns.window; ++column)
        offsets_.push_back(layout_.offset_of(row, column));
    }
  }

  std::string_view implementation() const override {
    return kernels_.lanes == 16 ? "depthwise gradient, vectors of 16" : "depthwise gradient";
  }

  size_t scratch_bytes() const override {
    return static_cast<size_t>(partial_elements() + threads_ * thread_elements()) * sizeof(float);
  }

  void run(const void* const* operands, void* result, std::byte* scratch) const override {
    const auto* input = static_cast<const float*>(operands[0]);
    const auto* cotangent = static_cast<const float*>(operands[1]);
    auto* out = static_cast<float*>(result);
    auto* partial = reinterpret_cast<float*>(scratch);
    const int64_t elements = p_.channels * p_.taps();
    parallel_for(threads_, [&](int64_t thread) {
      float* own = partial + partial_elements() + thread * thread_elements();
      const int64_t end = tasks_ * (thread + 1) / threads_;
      for (int64_t task = tasks_ * thread / threads_; task < end; ++task) {
        const int64_t part = task % parts_;
        sum_part(part,
                 task / parts_ * layout_.channels(),
                 input,
                 cotangent,
                 part == 0 ? out : partial + (part - 1) * elements,
                 own);
      }
    });
    for (int64_t part = 1; part < parts_; ++part, partial += elements) {
      for (int64_t i = 0; i < elements; ++i)
        out[i] += partial[i];
    }
  }

 private:
  /// Sums of all parts but the first.
  [[nodiscard]] int64_t partial_elements() const { return (parts_ - 1) * p_.channels * p_.taps(); }

  [[nodiscard]] int64_t source_elements() const {
    return p_.source_rows(strip_) * layout_.source_row();
  }

  [[nodiscard]] int64_t thread_elements() const {
    const int64_t of_sums = p_.taps() * kernels_.lanes;
    return spaced_scratch(of_sums + source_elements() + strip_ * layout_.cotangent_row(), threads_);
  }

  /// Of the channels from `channel` on that one vector holds, or of one.
  void sum_part(int64_t part,
                int64_t channel,
                const float* input,
                const float* cotangent,
                float* out,
                float* sums) const {
    std::fill_n(sums, p_.taps() * kernels_.lanes, 0.0F);
    const int64_t input_plane = p_.rows.input * p_.columns.input;
    const int64_t cotangent_plane = p_.rows.output * p_.columns.output;
    const int64_t end = p_.images * (part + 1) / parts_;
    for (int64_t image = p_.images * part / parts_; image < end; ++image) {
      const int64_t first_block = (image * p_.channels + channel) / p_.block * p_.block;
      const int64_t lane = channel % p_.block;
      add_planes(input + first_block * input_plane + lane,
                 cotangent + first_block * cotangent_plane + lane,
                 sums);
    }
    store_sums(sums, out + channel * p_.taps());
  }

  void add_planes(const float* input, const float* cotangent, float* sums) const {
    float* source = sums + p_.taps() * kernels_.lanes;
    float* factors = source + source_elements();
    for (int64_t row = 0; row < p_.rows.output; row += strip_) {
      const int64_t rows = std::min(strip_, p_.rows.output - row);
      layout_.lay_out_source(
          input, row * p_.rows.stride - p_.rows.padding, p_.source_rows(rows), source);
      layout_.lay_out_cotangent(cotangent, row, rows, factors);
      add_products(layout_.rows_of(factors, source, rows), sums);
    }
  }

  /// In a few runs over the rows, of some taps each.
  void add_products(const TapRows& rows, float* sums) const {
    const EvenParts runs(p_.taps(), TapKernels::kMostTaps);
    for (int64_t i = 0; i < runs.count(); ++i) {
      const int64_t tap = runs.begin(i);
      kernels_.add_products[runs.size(i) - 1](
          rows, offsets_.data() + tap, sums + tap * kernels_.lanes);
    }
  }

  void store_sums(const float* sums, float* out) const {
    for (int64_t tap = 0; tap < p_.taps(); ++tap, sums += kernels_.lanes) {
      if (p_.block > 1) {
        for (int64_t lane = 0; lane < kernels_.lanes; ++lane)
          out[lane * p_.taps() + tap] = sums[lane];
      } else {
        float total = 0;
        for (int64_t lane = 0; lane < kernels_.lanes; ++lane)
          total += sums[lane];
        out[tap] = total;
      }
    }
  }

  Planes p_;
  const TapKernels& kernels_;
  Layout layout_;
  int64_t parts_;  // of the batch
  int64_t tasks_;
  int64_t threads_;
  int64_t strip_;                 // rows of the cotangent that are laid out at a time
  std::vector<int64_t> offsets_;  // of the taps in the source
};

int64_t block_of(const LibraryOp& op) {
  return ir::channel_block(op.operands[0].shape, op.result.shape);
}

}  // namespace

bool is_depthwise_gradient(const LibraryOp& op) {
  if (op.op != ir::OpKind::conv_weight_grad || op.result.dtype != DType::f32) return false;
  const Shape& weight = op.result.shape;
  const int64_t groups = op.attributes.integer("groups", 1);
  if (weight.ndim() > 4 || weight[1] != 1 || weight[0] != groups) return false;
  const int64_t block = block_of(op);
  return have_vectors() && (block == 1 || block % 8 == 0) &&
         ir::channel_block(op.operands[1].shape, weight) == block && weight.numel() > 0 &&
         op.operands[0].numel() > 0 && op.operands[1].numel() > 0;
}

std::unique_ptr<HostCall> make_depthwise_gradient_of_lanes(const LibraryOp& op, int64_t lanes) {
  if (!is_depthwise_gradient(op) || lanes > vector_lanes()) return nullptr;
  if (block_of(op) > 1 && block_of(op) % lanes != 0) return nullptr;
  return std::make_unique<DepthwiseGradient>(planes_of(op),
                                             lanes == 16 ? tap_kernels<16>() : tap_kernels<8>());
}

/// Vectors along rows mostly begin within a line, and wide ones then always end in the next.
std::unique_ptr<HostCall> make_depthwise_gradient(const LibraryOp& op) {
  const bool has_wide_blocks = is_depthwise_gradient(op) && block_of(op) % 16 == 0;
  return make_depthwise_gradient_of_lanes(op, has_wide_blocks && vector_lanes() >= 16 ? 16 : 8);
}

}  // namespace wick::runtime
