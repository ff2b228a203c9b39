// f32 convolutions with windows of one pixel, and the gradients of their inputs, of images with
// their channels in blocks: products of weights and of pixels that are read where they lie, or
// gathered where strides skip some. Results are summed in the order of the channels, whatever the
// shape.

#include <algorithm>
#include <vector>

#include "wick/runtime/even_parts.h"
#include "wick/runtime/host_cpu.h"
#include "wick/runtime/parallel.h"
#include "wick/runtime/pixel_products.h"
#include "wick/runtime/pointwise.h"
#include "wick/runtime/pointwise_layer.h"

namespace wick::runtime {
namespace {

constexpr auto kFloatBytes = static_cast<int64_t>(sizeof(float));

/// With so many channels they take a quarter of a core's own cache.
int64_t most_pixels(int64_t channels) {
  constexpr int64_t kLeast = 24;
  return std::max(kLeast, core_cache_bytes() / 4 / (channels * kFloatBytes));
}

class PointwiseConvolution final : public HostCall {
 public:
  PointwiseConvolution(const LibraryOp& op, const PixelProducts& products)
      : products_(products),
        is_gradient_(op.op == ir::OpKind::conv_input_grad),
        layer_(pointwise_layer(op)),
        met_(layer_.met_inputs()),
        from_(is_gradient_ ? layer_.outputs : met_),
        to_(is_gradient_ ? met_ : layer_.outputs),
        panels_(to_.blocks, products.most_blocks),
        groups_(panels_.count(), panels_in_cache()),
        ranges_(pixel_ranges(to_, most_pixels(from_.channels()))),
        threads_(
            std::min<int64_t>(std::ssize(ranges_), threads_worth_waking(layer_.multiplications()))),
        range_elements_(std::ranges::max(ranges_, {}, &PixelRange::pixels).pixels *
                        met_.channels()) {}

  std::string_view implementation() const override { return "pointwise convolution"; }

  size_t scratch_bytes() const override {
    return static_cast<size_t>((panels_elements() + met_elements()) * kFloatBytes);
  }

  void run(const void* const* operands, void* result, std::byte* scratch) const override {
    const auto* from = static_cast<const float*>(operands[0]);
    const auto* weights = static_cast<const float*>(operands[1]);
    auto* to = static_cast<float*>(result);
    auto* panels = reinterpret_cast<float*>(scratch);
    float* met = panels + panels_elements();
    for (int64_t group = 0; group < groups_.count(); ++group) {
      const int64_t count = groups_.size(group);
      parallel_for(std::min(threads_, count), [&](int64_t thread) {
        for (int64_t i = thread; i < count; i += threads_)
          pack(weights, groups_.begin(group) + i, panels + i * panel_elements());
      });
      parallel_for(threads_, [&](int64_t thread) {
        for (int64_t i = begin_of(thread); i < begin_of(thread + 1); ++i) {
          const PixelRange& range = ranges_[static_cast<size_t>(i)];
          multiply(group, range, panels, from, place_of(range, thread, met), to);
        }
      });
    }
  }

 private:
  [[nodiscard]] int64_t panel_elements() const {
    return products_.most_blocks * products_.lanes * from_.channels();
  }

  /// Panels of weights that stay in a core's own cache while all pixels pass.
  [[nodiscard]] int64_t panels_in_cache() const {
    return std::max<int64_t>(1, core_cache_bytes() / 2 / (panel_elements() * kFloatBytes));
  }

  /// Of a group.
  [[nodiscard]] int64_t panels_elements() const {
    return ceil_div(panels_.count(), groups_.count()) * panel_elements();
  }

  /// Of the inputs that windows meet, where strides skip others: of a range for each thread, or of
  /// all where several groups of panels want them.
  [[nodiscard]] int64_t met_elements() const {
    if (layer_.is_dense()) return 0;
    return groups_.count() > 1 ? met_.size() : threads_ * range_elements_;
  }

  [[nodiscard]] PixelRow<float> place_of(const PixelRange& range,
                                         int64_t thread,
                                         float* met) const {
    if (groups_.count() > 1) return row_among_ranges(met_, range, met);
    return row_alone(met_, range, met + thread * range_elements_);
  }

  /// Of the ranges of a thread.
  [[nodiscard]] int64_t begin_of(int64_t thread) const {
    return std::ssize(ranges_) * thread / threads_;
  }

  void pack(const float* weights, int64_t panel, float* to) const {
    const int64_t channel = panels_.begin(panel) * products_.lanes;
    const StoredMatrix stored{weights, layer_.inputs.channels()};
    products_.pack(is_gradient_ ? stored.at(0, channel) : stored.at(channel, 0),
                   /*is_transposed=*/!is_gradient_,
                   panels_.size(panel),
                   from_.channels(),
                   to);
  }

  /// With `met`, a place for inputs that windows meet, where strides skip others.
  void multiply(int64_t group,
                const PixelRange& range,
                const float* panels,
                const float* from,
                PixelRow<float> met,
                float* to) const {
    const bool gathers = !layer_.is_dense() && !is_gradient_;
    const bool spreads = !layer_.is_dense() && is_gradient_;
    if (gathers && group == 0) gather_met_inputs(layer_, range, from, met);
    const PixelRow<const float> from_row =
        gathers ? PixelRow<const float>{met.data, met.plane} : row_in(from_, range, from);
    const PixelRow<float> to_row = spreads ? met : row_in(to_, range, to);
    for (int64_t i = 0; i < groups_.size(group); ++i) {
      const int64_t panel = groups_.begin(group) + i;
      products_.multiply(from_row,
                         panels + i * panel_elements(),
                         panels_.size(panel),
                         from_.channels(),
                         range.pixels,
                         {to_row.data + panels_.begin(panel) * to_row.plane, to_row.plane});
    }
    if (spreads && group + 1 == groups_.count())
      spread_met_inputs(layer_, range, {met.data, met.plane}, to);
  }

  const PixelProducts& products_;
  bool is_gradient_;
  PointwiseLayer layer_;
  PixelPlanes met_;
  PixelPlanes from_;
  PixelPlanes to_;
  EvenParts panels_;  // of weights, for some blocks of results each
  EvenParts groups_;  // of panels, which are multiplied together
  std::vector<PixelRange> ranges_;
  int64_t threads_;
  int64_t range_elements_;  // of the largest one's inputs
};

}  // namespace

std::unique_ptr<HostCall> make_pointwise_convolution(const LibraryOp& op) {
  const bool has_wide = pointwise_layer(op).inputs.lanes == 16;
  return std::make_unique<PointwiseConvolution>(
      op, has_wide ? pixel_products<16>() : pixel_products<8>());
}

}  // namespace wick::runtime
