// f32 gradients of the weights of convolutions with windows of one pixel, of images with their
// channels in blocks: the product of a matrix of outputs and pixels and one of pixels and inputs.
// A block of one side's channels is a row of every tile, a block of the other's a vector, both read
// where they lie. What is summed in which order depends on the shape alone.

#include <algorithm>
#include <vector>

#include "wick/runtime/division.h"
#include "wick/runtime/even_parts.h"
#include "wick/runtime/host_cpu.h"
#include "wick/runtime/parallel.h"
#include "wick/runtime/pixel_sums.h"
#include "wick/runtime/pointwise.h"
#include "wick/runtime/pointwise_layer.h"

namespace wick::runtime {
namespace {

/// Long enough that a tile's sums are stored rarely, and so few that those of some blocks of
/// channels stay in a core's own cache.
constexpr int64_t kMostPixels = 800;

struct Group {
  size_t begin;
  size_t end;
};

/// As many as have at most kMostPixels.
std::vector<Group> groups_of(const std::vector<PixelRange>& ranges) {
  std::vector<Group> groups;
  int64_t pixels = kMostPixels;
  for (size_t i = 0; i < ranges.size(); ++i) {
    pixels += ranges[i].pixels;
    if (pixels > kMostPixels) {
      groups.push_back({i, i});
      pixels = ranges[i].pixels;
    }
    groups.back().end = i + 1;
  }
  return groups;
}

class PointwiseGradient final : public HostCall {
 public:
  PointwiseGradient(const LibraryOp& op, const PixelSums& sums)
      : sums_(sums),
        layer_(pointwise_layer(op)),
        inputs_(layer_.met_inputs()),
        outputs_(layer_.outputs),
        ranges_(pixel_ranges(outputs_, kMostPixels)),
        groups_(groups_of(ranges_)) {}

  std::string_view implementation() const override { return "pointwise gradient"; }

  size_t scratch_bytes() const override {
    return layer_.is_dense() ? 0 : static_cast<size_t>(inputs_.size()) * sizeof(float);
  }

  void run(const void* const* operands, void* result, std::byte* scratch) const override {
    Data data{static_cast<const float*>(operands[0]),
              static_cast<const float*>(operands[1]),
              static_cast<float*>(result)};
    const int64_t most_threads = threads_worth_waking(layer_.multiplications());
    if (!layer_.is_dense()) data.input = gather_inputs(data.input, most_threads, scratch);
    const bool cuts_outputs = outputs_.blocks >= inputs_.blocks;
    const int64_t blocks = cuts_outputs ? outputs_.blocks : inputs_.blocks;
    const int64_t threads = std::min(blocks, most_threads);
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

  const float* gather_inputs(const float* inputs, int64_t threads, std::byte* scratch) const {
    auto* met = reinterpret_cast<float*>(scratch);
    const EvenParts parts(std::ssize(ranges_), ceil_div(std::ssize(ranges_), threads));
    parallel_for(parts.count(), [&](int64_t part) {
      for (int64_t i = parts.begin(part); i < parts.begin(part + 1); ++i) {
        const PixelRange& range = ranges_[static_cast<size_t>(i)];
        gather_met_inputs(layer_, range, inputs, row_among_ranges(inputs_, range, met));
      }
    });
    return met;
  }

  /// Images are read once from memory; the cotangents of some blocks meet all inputs while they are
  /// in the cache.
  void sum_blocks(const Data& data, Blocks outputs, Blocks inputs) const {
    const int64_t block_bytes = kMostPixels * sums_.lanes * static_cast<int64_t>(sizeof(float));
    const int64_t step = std::max<int64_t>(1, core_cache_bytes() / 4 / block_bytes);
    for (const Group& group : groups_) {
      for (int64_t first = outputs.begin; first < outputs.end; first += step) {
        const int64_t end = std::min(outputs.end, first + step);
        for (int64_t input = inputs.begin; input < inputs.end; ++input) {
          for (int64_t output = first; output < end; ++output)
            sum_pixels(data, group, output, input);
        }
      }
    }
  }

  void sum_pixels(const Data& data, Group group, int64_t output, int64_t input) const {
    constexpr size_t kAtOnce = 32;
    PixelRun runs[kAtOnce];
    float* out = data.gradient + (output * inputs_.channels() + input) * sums_.lanes;
    for (size_t i = group.begin; i < group.end; i += kAtOnce) {
      const size_t count = std::min(kAtOnce, group.end - i);
      for (size_t run = 0; run < count; ++run) {
        const PixelRange& range = ranges_[i + run];
        const PixelRow<const float> cotangents = row_in(outputs_, range, data.cotangent);
        const PixelRow<const float> pixels = layer_.is_dense()
                                                 ? row_in(inputs_, range, data.input)
                                                 : row_among_ranges(inputs_, range, data.input);
        runs[run] = {.cotangent = cotangents.data + output * cotangents.plane,
                     .input = pixels.data + input * pixels.plane,
                     .pixels = range.pixels};
      }
      sums_.sum({runs, count}, out, inputs_.channels(), i > 0);
    }
  }

  const PixelSums& sums_;
  PointwiseLayer layer_;
  PixelPlanes inputs_;  // those that windows meet
  PixelPlanes outputs_;
  std::vector<PixelRange> ranges_;
  std::vector<Group> groups_;  // of ranges, which are summed up together
};

}  // namespace

std::unique_ptr<HostCall> make_pointwise_gradient(const LibraryOp& op) {
  const bool has_wide = pointwise_layer(op).inputs.lanes == 16;
  return std::make_unique<PointwiseGradient>(op, has_wide ? pixel_sums<16>() : pixel_sums<8>());
}

}  // namespace wick::runtime
