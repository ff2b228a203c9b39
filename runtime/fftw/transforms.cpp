// The fft.* ops: a plan of FFTW for a block of the leading axes, executed block by block.

#include <algorithm>
#include <numeric>
#include <string_view>
#include <vector>

#include "wick/runtime/fftw/plan_cache.h"
#include "wick/runtime/library_ops.h"
#include "wick/runtime/parallel.h"

namespace wick::runtime::fftw {
namespace {

/// A transform of whole buffers: input and output differ in the extent of one axis at most.
struct Transform {
  Kind kind;
  std::vector<int64_t> input;   // extents, the axis of two left out
  std::vector<int64_t> output;  // extents, the axis of two left out
  std::vector<int64_t> axes;    // ascending
};

/// The leading axes that are not transformed are cut in blocks; the rest is one problem.
class Blocks {
 public:
  explicit Blocks(const Transform& transform) : kind_(transform.kind) {
    const size_t rank = transform.input.size();
    const auto first = transform.axes.empty() ? rank : static_cast<size_t>(transform.axes.front());
    int64_t input_stride = 1;
    int64_t output_stride = 1;
    for (size_t axis = rank; axis-- > first;) {
      const bool is_transformed =
          std::ranges::find(transform.axes, static_cast<int64_t>(axis)) != transform.axes.end();
      // A real transform has as many elements as its real side.
      const int64_t extent = std::max(transform.input[axis], transform.output[axis]);
      (is_transformed ? axes_ : others_).push_back({extent, input_stride, output_stride});
      input_stride *= transform.input[axis];
      output_stride *= transform.output[axis];
    }
    std::ranges::reverse(axes_);
    std::ranges::reverse(others_);
    input_size_ = input_stride;
    output_size_ = output_stride;
    for (size_t axis = 0; axis < first; ++axis)
      count_ *= transform.input[axis];
  }

  template <typename T>
  void run(const T* input, T* output) const {
    constexpr int64_t kElements = 1 << 15;  // fits a core's cache
    const int64_t most = std::max<int64_t>(1, kElements / std::max<int64_t>(1, size()));
    const int64_t step = between_aligned(sizeof(T));
    const int64_t block = std::min(count_, (most + step - 1) / step * step);
    parallel_for((count_ + block - 1) / block, [&](int64_t i) {
      const int64_t begin = i * block;
      const T* from = input + begin * input_size_ * width(Kind::real_to_complex);
      T* to = output + begin * output_size_ * width(Kind::complex_to_real);
      const bool aligned = is_aligned(from) && is_aligned(to);
      plan_of<T>(problem(std::min(block, count_ - begin), aligned))->execute(from, to);
    });
  }

 private:
  /// Positions from one where both sides are as aligned as at the first to the next: FFTW has no
  /// vectors for others.
  [[nodiscard]] int64_t between_aligned(size_t value_bytes) const {
    constexpr size_t kAlignment = 16;
    const auto positions = [&](int64_t elements, int64_t values) {
      return kAlignment /
             std::gcd(kAlignment, static_cast<size_t>(elements * values) * value_bytes);
    };
    return static_cast<int64_t>(std::lcm(positions(input_size_, width(Kind::real_to_complex)),
                                         positions(output_size_, width(Kind::complex_to_real))));
  }

  [[nodiscard]] int64_t size() const { return std::max(input_size_, output_size_); }

  /// Values an element of a side, which is real in transforms of one kind.
  [[nodiscard]] int64_t width(Kind real) const { return kind_ == real ? 1 : 2; }

  [[nodiscard]] Problem problem(int64_t count, bool aligned) const {
    Problem problem{.kind = kind_, .is_aligned = aligned, .axes = axes_, .others = others_};
    problem.others.insert(problem.others.begin(), {count, input_size_, output_size_});
    return problem;
  }

  Kind kind_;
  std::vector<Axis> axes_;
  std::vector<Axis> others_;
  int64_t count_ = 1;       // positions along the leading axes
  int64_t input_size_ = 0;  // elements at each of them
  int64_t output_size_ = 0;
};

std::vector<int64_t> extents_of(const Type& type, bool is_complex) {
  std::vector<int64_t> extents(type.shape.begin(), type.shape.end());
  if (is_complex) extents.pop_back();
  return extents;
}

void run(const Transform& transform, const void* input, void* output, DType dtype) {
  const Blocks blocks(transform);
  if (dtype == DType::f32) {
    blocks.run(static_cast<const float*>(input), static_cast<float*>(output));
  } else {
    blocks.run(static_cast<const double*>(input), static_cast<double*>(output));
  }
}

void c2c(const void* const* operands, void* result, const ir::CustomCallInfo& info) {
  if (info.result.numel() == 0) return;
  const bool inverse = info.attributes.flag("inverse");
  const std::vector<int64_t> extents = extents_of(info.result, true);
  run({.kind = inverse ? Kind::inverse : Kind::forward,
       .input = extents,
       .output = extents,
       .axes = info.attributes.integers("axes")},
      operands[0],
      result,
      info.result.dtype);
}

void r2c(const void* const* operands, void* result, const ir::CustomCallInfo& info) {
  if (info.result.numel() == 0) return;
  run({.kind = Kind::real_to_complex,
       .input = extents_of(info.operands[0], false),
       .output = extents_of(info.result, true),
       .axes = {info.attributes.integer("axis", 0)}},
      operands[0],
      result,
      info.result.dtype);
}

void c2r(const void* const* operands, void* result, const ir::CustomCallInfo& info) {
  if (info.result.numel() == 0) return;
  run({.kind = Kind::complex_to_real,
       .input = extents_of(info.operands[0], true),
       .output = extents_of(info.result, false),
       .axes = {info.attributes.integer("axis", 0)}},
      operands[0],
      result,
      info.result.dtype);
}

}  // namespace
}  // namespace wick::runtime::fftw

/// What libwick.so looks for.
extern "C" __attribute__((visibility("default"))) wick::ir::CustomCall wick_find_fftw_call(
    const char* op) {
  using namespace wick::runtime::fftw;
  const std::string_view name = op;
  if (name == "fft.c2c") return c2c;
  if (name == "fft.r2c") return r2c;
  if (name == "fft.c2r") return c2r;
  return nullptr;
}

static_assert(std::is_same_v<decltype(wick_find_fftw_call), wick::runtime::FindLibraryCall>);
