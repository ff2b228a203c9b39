#include "wick/tensor/fft.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "wick/ir/format.h"
#include "wick/tensor/custom_op.h"

namespace wick::fft {
namespace {

/// One call: its name for errors, its line, and what the axes of its operand mean.
struct Call {
  std::string_view op;
  const Tensor& x;
  bool is_complex;
  Where where;

  [[noreturn]] void fail(const std::string& text) const { throw Error(where, op, text); }

  [[nodiscard]] int rank() const { return is_complex ? x.ndim() - 1 : x.ndim(); }

  [[nodiscard]] int64_t axis(int64_t axis) const {
    if (axis < -rank() || axis >= rank()) {
      fail(fmt::format("axis {} is out of range for {}", axis, x.type()));
    }
    return axis < 0 ? axis + rank() : axis;
  }
};

/// The operand has the form that the transform takes.
Call checked(std::string_view op, const Tensor& x, bool is_complex, Where where) {
  const Call call{op, x, is_complex, where};
  if (!x.defined()) call.fail("operand 1 is an undefined tensor");
  if (!is_float(x.dtype())) call.fail(fmt::format("needs floats, got {}", x.type()));
  if (is_complex && (x.ndim() == 0 || x.size(-1) != 2)) {
    constexpr auto kText = "needs complex numbers, a last axis of 2, got {}";
    call.fail(fmt::format(kText, x.type()));
  }
  return call;
}

/// FFTW has no halves.
Tensor computed(const Tensor& x, Where where) {
  return x.dtype() == DType::f64 ? x : cast(x, DType::f32, where);
}

/// Cropped, or padded with zeros at the end.
Tensor resized(const Call& call, const Tensor& x, int64_t axis, int64_t n) {
  if (n < 1) call.fail(fmt::format("{} values along axis {} of {}", n, axis, call.x.type()));
  const int64_t extent = x.shape()[static_cast<int>(axis)];
  if (n <= extent) return slice(x, static_cast<int>(axis), 0, n, 1, call.where);
  Axes low(static_cast<size_t>(x.ndim()), 0);
  Axes high = low;
  high[static_cast<size_t>(axis)] = n - extent;
  return pad(x, low, high, 0, call.where);
}

/// The factor of a transform of n values in all.
double scale_of(Norm norm, bool inverse, double n) {
  if (norm == Norm::ortho) return 1 / std::sqrt(n);
  return (norm == Norm::backward) == inverse ? 1 / n : 1;
}

Tensor scaled(const Call& call, const Tensor& x, double factor) {
  const Tensor product = factor == 1 ? x : Operand(x, call.where) * factor;
  return cast(product, call.x.dtype(), call.where);
}

Tensor complex_transform(const Call& call, const Tensor& x, Axes axes, bool inverse) {
  if (axes.empty()) return x;
  std::ranges::sort(axes);
  ir::Attributes attributes{{"axes", std::move(axes)}};
  if (inverse) attributes.set("inverse", true);
  return custom_op("fft.c2c", {x}, std::move(attributes), call.where);
}

Tensor real_to_complex(const Call& call, const Tensor& x, int64_t axis) {
  return custom_op("fft.r2c", {x}, {{"axis", axis}}, call.where);
}

Tensor complex_to_real(const Call& call, const Tensor& x, int64_t axis, int64_t n) {
  return custom_op("fft.c2r", {x}, {{"axis", axis}, {"n", n}}, call.where);
}

/// The axes of a transform over several, with the extents asked for.
struct Region {
  Axes axes;
  Axes sizes;

  [[nodiscard]] double count() const {
    double count = 1;
    for (const int64_t size : sizes)
      count *= static_cast<double>(size);
    return count;
  }
};

Region region_of(const Call& call, const FftnOptions& options) {
  Region region{options.axes, options.sizes};
  if (region.axes.empty()) {
    const int count = options.sizes.empty() ? call.rank() : static_cast<int>(options.sizes.size());
    for (int i = 0; i < count; ++i)
      region.axes.push_back(call.rank() - count + i);
  }
  for (int64_t& axis : region.axes)
    axis = call.axis(axis);
  Axes sorted = region.axes;
  std::ranges::sort(sorted);
  const auto twice = std::ranges::adjacent_find(sorted);
  if (twice != sorted.end()) call.fail(fmt::format("axis {} is named twice", *twice));
  if (region.sizes.empty()) {
    for (const int64_t axis : region.axes)
      region.sizes.push_back(call.x.shape()[static_cast<int>(axis)]);
  }
  if (region.sizes.size() != region.axes.size()) {
    constexpr auto kText = "{} sizes for {} axes";
    call.fail(fmt::format(kText, region.sizes.size(), region.axes.size()));
  }
  return region;
}

Tensor resized(const Call& call, Tensor x, const Region& region) {
  for (size_t i = 0; i < region.axes.size(); ++i)
    x = resized(call, x, region.axes[i], region.sizes[i]);
  return x;
}

FftnOptions over_one(const Call& call, const FftOptions& options) {
  const int64_t axis = call.axis(options.axis);
  const int64_t n = options.n.value_or(call.x.shape()[static_cast<int>(axis)]);
  return {.sizes = {n}, .axes = {axis}, .norm = options.norm};
}

Tensor transform(const Call& call, const FftnOptions& options, bool inverse) {
  const Region region = region_of(call, options);
  const Tensor x = resized(call, computed(call.x, call.where), region);
  return scaled(call,
                complex_transform(call, x, region.axes, inverse),
                scale_of(options.norm, inverse, region.count()));
}

Tensor transform_real(const Call& call, const FftnOptions& options, bool inverse_scale = false) {
  Region region = region_of(call, options);
  if (region.axes.empty()) call.fail("needs an axis");
  Tensor x = resized(call, computed(call.x, call.where), region);
  const double scale = scale_of(options.norm, inverse_scale, region.count());
  x = real_to_complex(call, x, region.axes.back());
  region.axes.pop_back();
  return scaled(call, complex_transform(call, x, region.axes, false), scale);
}

/// The last size is that of the real result; by default it is even.
Tensor transform_to_real(const Call& call, const FftnOptions& options, bool forward_scale = false) {
  Region region = region_of(call, options);
  if (region.axes.empty()) call.fail("needs an axis");
  if (options.sizes.empty()) region.sizes.back() = 2 * (region.sizes.back() - 1);
  const double scale = scale_of(options.norm, !forward_scale, region.count());
  const int64_t n = region.sizes.back();
  const int64_t axis = region.axes.back();
  if (n < 1) call.fail(fmt::format("{} values along axis {} of {}", n, axis, call.x.type()));
  region.sizes.back() = n / 2 + 1;
  const Tensor x = resized(call, computed(call.x, call.where), region);
  region.axes.pop_back();
  return scaled(
      call, complex_to_real(call, complex_transform(call, x, region.axes, true), axis, n), scale);
}

/// As over_one, for a result of n real numbers.
FftnOptions to_real(const Call& call, const FftOptions& options) {
  FftnOptions one = over_one(call, options);
  if (!options.n) one.sizes = {2 * (one.sizes[0] - 1)};
  return one;
}

FftnOptions over_two(const FftnOptions& options) {
  return options.axes.empty() ? FftnOptions{options.sizes, {-2, -1}, options.norm} : options;
}

Tensor rotated(const Tensor& x, int axis, int64_t shift, Where where) {
  const int64_t n = x.shape()[axis];
  if (shift == 0 || n == 0) return x;
  return concat({slice(x, axis, n - shift, n, 1, where), slice(x, axis, 0, n - shift, 1, where)},
                axis,
                where);
}

Tensor shifted(std::string_view op, const Tensor& x, Axes axes, bool inverse, Where where) {
  const Call call{op, x, false, where};
  if (!x.defined()) call.fail("operand 1 is an undefined tensor");
  if (axes.empty()) {
    axes.resize(static_cast<size_t>(x.ndim()));
    std::iota(axes.begin(), axes.end(), 0);
  }
  Tensor result = x;
  for (const int64_t axis : axes) {
    const auto own = static_cast<int>(call.axis(axis));
    const int64_t half = x.shape()[own] / 2;
    result = rotated(result, own, inverse ? x.shape()[own] - half : half, where);
  }
  return result;
}

Tensor positions(std::string_view op, int64_t n, int64_t count, DType dtype, Where where) {
  if (n < 1) throw Error(where, op, fmt::format("{} frequencies", n));
  return arange(count, dtype, where);
}

}  // namespace

Tensor complex(const Tensor& real, const Tensor& imag, Where where) {
  const Tensor parts[] = {real, imag};
  return stack(parts, -1, where);
}

Tensor complex(const Tensor& real, Where where) {
  return complex(real, zeros(real.shape(), real.dtype(), where), where);
}

Tensor real(const Tensor& z, Where where) {
  (void)checked("fft.real", z, true, where);
  return select(z, -1, 0, where);
}

Tensor imag(const Tensor& z, Where where) {
  (void)checked("fft.imag", z, true, where);
  return select(z, -1, 1, where);
}

Tensor conj(const Tensor& z, Where where) {
  (void)checked("fft.conj", z, true, where);
  const Tensor signs = cast(tensor({1, -1}, where), z.dtype(), where);
  return Operand(z, where) * signs;
}

Tensor magnitude(const Tensor& z, Where where) {
  (void)checked("fft.magnitude", z, true, where);
  const Tensor squares = sum(square(z, where), {-1}, false, where);
  const Tensor is_zero = Operand(squares, where) == 0;
  const Tensor root = sqrt(wick::where(is_zero, Operand(1, where), squares), where);
  return wick::where(is_zero, Operand(0, where), root);
}

Tensor multiply(const Tensor& a, const Tensor& b, Where where) {
  const Tensor ar = real(a, where);
  const Tensor ai = imag(a, where);
  const Tensor br = real(b, where);
  const Tensor bi = imag(b, where);
  const Tensor product_r = Operand(Operand(ar, where) * br, where) - Operand(ai, where) * bi;
  const Tensor product_i = Operand(Operand(ar, where) * bi, where) + Operand(ai, where) * br;
  return complex(product_r, product_i, where);
}

Tensor fft(const Tensor& x, const FftOptions& options, Where where) {
  const Call call = checked("fft.fft", x, true, where);
  return transform(call, over_one(call, options), false);
}

Tensor ifft(const Tensor& x, const FftOptions& options, Where where) {
  const Call call = checked("fft.ifft", x, true, where);
  return transform(call, over_one(call, options), true);
}

Tensor rfft(const Tensor& x, const FftOptions& options, Where where) {
  const Call call = checked("fft.rfft", x, false, where);
  return transform_real(call, over_one(call, options));
}

Tensor irfft(const Tensor& x, const FftOptions& options, Where where) {
  const Call call = checked("fft.irfft", x, true, where);
  return transform_to_real(call, to_real(call, options));
}

Tensor hfft(const Tensor& x, const FftOptions& options, Where where) {
  const Call call = checked("fft.hfft", x, true, where);
  const Tensor conjugate = conj(x, where);
  const Call of_conjugate{call.op, conjugate, true, where};
  return transform_to_real(of_conjugate, to_real(call, options), true);
}

Tensor ihfft(const Tensor& x, const FftOptions& options, Where where) {
  const Call call = checked("fft.ihfft", x, false, where);
  return conj(transform_real(call, over_one(call, options), true), where);
}

Tensor fftn(const Tensor& x, const FftnOptions& options, Where where) {
  return transform(checked("fft.fftn", x, true, where), options, false);
}

Tensor ifftn(const Tensor& x, const FftnOptions& options, Where where) {
  return transform(checked("fft.ifftn", x, true, where), options, true);
}

Tensor rfftn(const Tensor& x, const FftnOptions& options, Where where) {
  return transform_real(checked("fft.rfftn", x, false, where), options);
}

Tensor irfftn(const Tensor& x, const FftnOptions& options, Where where) {
  return transform_to_real(checked("fft.irfftn", x, true, where), options);
}

Tensor fft2(const Tensor& x, const FftnOptions& options, Where where) {
  return transform(checked("fft.fft2", x, true, where), over_two(options), false);
}

Tensor ifft2(const Tensor& x, const FftnOptions& options, Where where) {
  return transform(checked("fft.ifft2", x, true, where), over_two(options), true);
}

Tensor rfft2(const Tensor& x, const FftnOptions& options, Where where) {
  return transform_real(checked("fft.rfft2", x, false, where), over_two(options));
}

Tensor irfft2(const Tensor& x, const FftnOptions& options, Where where) {
  return transform_to_real(checked("fft.irfft2", x, true, where), over_two(options));
}

Tensor fftfreq(int64_t n, double d, DType dtype, Where where) {
  const Tensor k = positions("fft.fftfreq", n, n, dtype, where);
  const Tensor wrapped = wick::where(Operand(k, where) > (n - 1) / 2, Operand(k, where) - n, k);
  return Operand(wrapped, where) / (d * static_cast<double>(n));
}

Tensor rfftfreq(int64_t n, double d, DType dtype, Where where) {
  const Tensor k = positions("fft.rfftfreq", n, n / 2 + 1, dtype, where);
  return Operand(k, where) / (d * static_cast<double>(n));
}

Tensor fftshift(const Tensor& x, Axes axes, Where where) {
  return shifted("fft.fftshift", x, std::move(axes), false, where);
}

Tensor ifftshift(const Tensor& x, Axes axes, Where where) {
  return shifted("fft.ifftshift", x, std::move(axes), true, where);
}

}  // namespace wick::fft
