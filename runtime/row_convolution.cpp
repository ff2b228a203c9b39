// f32 convolutions of plain images, and the gradients of their inputs, with vectors along the rows
// of the images: for few channels, where blocks of a vector's lanes would be filled up with zeros.
// What each thread works on depends on the shape alone, or changes no sum.

#include "wick/runtime/row_convolution.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "wick/runtime/correlation.h"
#include "wick/runtime/division.h"
#include "wick/runtime/even_parts.h"
#include "wick/runtime/image_rows.h"
#include "wick/runtime/parallel.h"
#include "wick/runtime/row_kernels.h"
#include "wick/runtime/vector_lanes.h"

namespace wick::runtime {
namespace {

/// A range of channels of the result that a tile holds.
struct ChannelBlock {
  int64_t first;
  int64_t count;
};

std::vector<ChannelBlock> blocks_of(int64_t channels) {
  const EvenParts parts(channels, RowKernels::kMostChannels);
  std::vector<ChannelBlock> blocks;
  for (int64_t i = 0; i < parts.count(); ++i)
    blocks.push_back({parts.begin(i), parts.size(i)});
  return blocks;
}

class RowConvolution final : public HostCall {
 public:
  /// `images` have the channels of one of the groups each.
  RowConvolution(Correlation correlation, int64_t images, int64_t groups, const RowKernels& kernels)
      : kernels_(kernels),
        chunk_(kernels.chunk(correlation.channels)),
        c_(with_pitch(std::move(correlation), chunk_)),
        columns_(c_.columns()),
        images_(images),
        groups_(groups),
        blocks_(blocks_of(c_.channels)),
        strip_(rows_that_fit(c_.source.elements(1) * static_cast<int64_t>(sizeof(float)),
                             c_.source_stride,
                             c_.source_rows,
                             c_.row_groups())),
        source_rows_((strip_ - 1) * c_.source_stride + c_.source_rows),
        strips_(ceil_div(c_.row_groups(), strip_)),
        lanes_(std::min<int64_t>(images_ * strips_, max_threads())) {
    for (const Pass& pass : c_.passes) {
      PassRun& run = runs_.emplace_back();
      run.columns = std::max<int64_t>(0, ceil_div(c_.width - pass.column, c_.column_stride));
      run.weights = weight_elements_;
      for (const Tap& tap : pass.taps)
        run.offsets.push_back((tap.channel * source_rows_ + tap.row) * c_.source.row_elements() +
                              tap.phase * c_.source.pitch + tap.column);
      weight_elements_ += static_cast<int64_t>(pass.taps.size()) * c_.channels;
    }
  }

  std::string_view implementation() const override { return kernels_.implementation; }

  size_t scratch_bytes() const override {
    return static_cast<size_t>(groups_ * weight_elements_ + lanes_ * lane_elements()) *
           sizeof(float);
  }

  void run(const void* const* operands, void* result, std::byte* scratch) const override {
    const auto* source = static_cast<const float*>(operands[0]);
    auto* out = static_cast<float*>(result);
    auto* weights = reinterpret_cast<float*>(scratch);
    const auto* given_weights = static_cast<const float*>(operands[1]);
    for (int64_t group = 0; group < groups_; ++group)
      order_weights(given_weights + group * weight_elements_, weights + group * weight_elements_);
    parallel_for(lanes_, [&](int64_t lane) {
      float* own = weights + groups_ * weight_elements_ + lane * lane_elements();
      const int64_t tasks = images_ * strips_;
      for (int64_t task = tasks * lane / lanes_; task < tasks * (lane + 1) / lanes_; ++task) {
        const int64_t image = task / strips_;
        const float* of_group = weights + image % groups_ * weight_elements_;
        convolve_strip(image, task % strips_ * strip_, source, of_group, out, own);
      }
    });
  }

 private:
  /// Tiles may read beyond the last column of a row that is shorter than they are.
  static Correlation with_pitch(Correlation correlation, int64_t chunk) {
    correlation.source.pitch = std::max(correlation.columns(), chunk) + correlation.column_reach;
    return correlation;
  }

  /// A row of each pass, for all channels, where they are mixed in the result.
  [[nodiscard]] int64_t mixed_elements() const {
    if (c_.column_stride == 1) return 0;
    return c_.channels * c_.row_stride * c_.column_stride * columns_;
  }

  [[nodiscard]] int64_t lane_elements() const {
    return spaced_scratch(c_.source.elements(source_rows_) + mixed_elements(), lanes_);
  }

  /// For each pass and block of channels, tap by tap.
  void order_weights(const float* from, float* to) const {
    for (const Pass& pass : c_.passes) {
      for (const ChannelBlock& block : blocks_) {
        for (const Tap& tap : pass.taps) {
          for (int64_t i = 0; i < block.count; ++i)
            *to++ = from[(block.first + i) * c_.weight_stride + tap.weight];
        }
      }
    }
  }

  void convolve_strip(int64_t image,
                      int64_t first,
                      const float* source,
                      const float* weights,
                      float* out,
                      float* scratch) const {
    const int64_t end = std::min(c_.row_groups(), first + strip_);
    lay_out_rows(c_.source,
                 source + image * c_.source.channels * c_.source.height * c_.source.width,
                 first * c_.source_stride + c_.first_source_row,
                 source_rows_,
                 scratch);
    float* mixed = scratch + c_.source.elements(source_rows_);
    out += image * c_.channels * c_.height * c_.width;
    for (int64_t group = first; group < end; ++group) {
      const float* rows = scratch + (group - first) * c_.source_stride * c_.source.row_elements();
      convolve_row_group(group, rows, weights, out, mixed);
    }
  }

  /// The rows of the result that passes take turns in. Their sources stay in the first-level cache
  /// while all passes go over a chunk of columns.
  void convolve_row_group(
      int64_t group, const float* source, const float* weights, float* out, float* mixed) const {
    for (int64_t column = 0; column < columns_; column += chunk_) {
      for (size_t i = 0; i < c_.passes.size(); ++i) {
        const Pass& pass = c_.passes[i];
        const PassRun& run = runs_[i];
        const auto taps = static_cast<int64_t>(run.offsets.size());
        const int64_t row = group * c_.row_stride + pass.row;
        const int64_t columns = std::min(chunk_, run.columns - column);
        if (row >= c_.height || columns <= 0) continue;
        const Rows to = rows_of(pass, row, out, mixed);
        for (const ChannelBlock& block : blocks_)
          kernels_.convolve_row[block.count - 1](
              {.source = source + column,
               .offsets = run.offsets.data(),
               .taps = taps,
               .weights = weights + run.weights + taps * block.first,
               .out = to.data + block.first * to.channel_stride + column,
               .channel_stride = to.channel_stride,
               .columns = columns,
               .columns_before = column});
      }
    }
    if (c_.column_stride > 1) mix_columns(group, mixed, out);
  }

  struct PassRun {
    int64_t columns = 0;           // in a row of the result
    int64_t weights = 0;           // where they begin
    std::vector<int64_t> offsets;  // of the taps in the laid out rows
  };

  struct Rows {
    float* data;
    int64_t channel_stride;
  };

  /// Where a pass leaves its columns of a row of all channels.
  [[nodiscard]] Rows rows_of(const Pass& pass, int64_t row, float* out, float* mixed) const {
    if (c_.column_stride == 1) return {out + row * c_.width, c_.height * c_.width};
    const int64_t phase = pass.row * c_.column_stride + pass.column;
    return {mixed + phase * columns_, c_.row_stride * c_.column_stride * columns_};
  }

  /// Columns of passes to every stride-th one of the result.
  void mix_columns(int64_t group, const float* mixed, float* out) const {
    const int64_t step = c_.column_stride * columns_;
    for (int64_t channel = 0; channel < c_.channels; ++channel) {
      for (int64_t i = 0; i < c_.row_stride; ++i, mixed += step) {
        const int64_t row = group * c_.row_stride + i;
        if (row >= c_.height) continue;
        mix_phases(mixed,
                   columns_,
                   c_.column_stride,
                   c_.width,
                   out + (channel * c_.height + row) * c_.width);
      }
    }
  }

  const RowKernels& kernels_;
  int64_t chunk_;  // columns that are convolved in all passes before the next ones
  Correlation c_;
  int64_t columns_;  // of a pass, at most
  int64_t images_;
  int64_t groups_;
  std::vector<ChannelBlock> blocks_;
  std::vector<PassRun> runs_;    // of the passes
  int64_t weight_elements_ = 0;  // of all passes, of one group
  int64_t strip_;                // row groups that are convolved at a time
  int64_t source_rows_;          // that a strip needs
  int64_t strips_;               // of an image
  int64_t lanes_;                // that walk strips, each with scratch of its own
};

/// Images [n,c,...] of one or two axes, not in blocks.
bool may_go_by_rows(const LibraryOp& op) {
  const int rank = op.operands[1].shape.ndim();  // of the weight
  return have_vectors() && op.result.dtype == DType::f32 && rank <= 4 &&
         op.operands[0].shape.ndim() == rank && op.result.shape.ndim() == rank &&
         op.operands[0].numel() > 0 && op.operands[1].numel() > 0 && op.result.numel() > 0;
}

}  // namespace

std::unique_ptr<HostCall> make_row_convolution_of_lanes(const LibraryOp& op, int64_t lanes) {
  const bool sums_taps = op.op == ir::OpKind::conv || op.op == ir::OpKind::conv_input_grad;
  if (!sums_taps || !may_go_by_rows(op) || lanes > vector_lanes()) return nullptr;
  const int64_t groups = op.attributes.integer("groups", 1);
  LibraryOp one_group = op;
  Shape& weight = one_group.operands[1].shape;
  weight.set(0, weight[0] / groups);
  return std::make_unique<RowConvolution>(correlation_of(one_group),
                                          op.result.shape[0] * groups,
                                          groups,
                                          lanes == 16 ? row_kernels<16>() : row_kernels<8>());
}

std::unique_ptr<HostCall> make_row_convolution(const LibraryOp& op) {
  return make_row_convolution_of_lanes(op, vector_lanes());
}

}  // namespace wick::runtime
