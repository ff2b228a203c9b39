#include <algorithm>
#include <numbers>
#include <string_view>

#include <fmt/format.h>

#include "wick/ir/format.h"
#include "wick/tensor/axis_windows.h"
#include "wick/tensor/fft.h"

namespace wick::fft {
namespace {

/// Factors of a constant and of the cosines of one and two periods.
struct Cosines {
  double constant = 0;
  double first = 0;
  double second = 0;
};

Tensor cosine_window(std::string_view op,
                     const Cosines& factors,
                     int64_t n,
                     bool periodic,
                     DType dtype,
                     Where where) {
  if (n < 0) throw Error(where, op, fmt::format("a window of {} values", n));
  if (n <= 1) return ones({n}, dtype, where);
  const double period = static_cast<double>(periodic ? n : n - 1);
  const Tensor turns =
      Operand(arange(n, DType::f64, where), where) * (2 * std::numbers::pi / period);
  Tensor sum = Operand(factors.constant, where) - Operand(cos(turns, where), where) * factors.first;
  if (factors.second != 0) {
    const Tensor twice = cos(Operand(turns, where) * 2, where);
    sum = Operand(sum, where) + Operand(twice, where) * factors.second;
  }
  return cast(sum, dtype, where);
}

/// A checked call of stft or istft.
struct Frames {
  Frames(std::string_view op, const StftOptions& options, DType dtype, Where where)
      : n(options.n),
        hop(options.hop.value_or(options.n / 4)),
        margin(options.center ? options.n / 2 : 0),
        where(where) {
    if (n < 1 || hop < 1) {
      throw Error(where, op, fmt::format("frames of {} samples, {} apart", n, hop));
    }
    window = options.window.defined() ? options.window : ones({n}, dtype, where);
    const int64_t width = window.ndim() == 1 ? window.size(0) : n + 1;
    if (width > n) {
      constexpr auto kText = "the window {} is no vector of up to {} values";
      throw Error(where, op, fmt::format(kText, window.type(), n));
    }
    const int64_t before = (n - width) / 2;
    window = cast(pad(window, {before}, {n - width - before}, 0, where), dtype, where);
  }

  /// That many of them.
  [[nodiscard]] detail::AxisWindows windows(int64_t count) const {
    return {.count = count, .size = n, .stride = hop};
  }

  int64_t n;
  int64_t hop;
  int64_t margin;  // samples before the signal
  Tensor window;   // [n]
  Where where;
};

/// Positions in a signal that is mirrored at its first and last value.
Tensor mirrored(const Tensor& positions, int64_t length, Where where) {
  const Tensor from_start = abs(positions, where);
  const Tensor from_end = abs(Operand(length - 1, where) - from_start, where);
  return Operand(length - 1, where) - from_end;
}

Norm norm_of(const StftOptions& options) {
  return options.normalized ? Norm::ortho : Norm::backward;
}

/// Sums the frames [..., count, n] where they overlap: [..., length].
Tensor overlapped(const Frames& frames, const Tensor& values, int64_t length) {
  const detail::AxisWindows windows = frames.windows(values.size(-2));
  return detail::sum_of_windows(values, values.ndim() - 2, windows, length, frames.where);
}

/// Cropped, or padded with zeros, to a part of the last axis.
Tensor part_of(const Tensor& x, int64_t begin, int64_t length, Where where) {
  const int64_t end = std::min(begin + length, x.size(-1));
  const Tensor kept = slice(x, -1, begin, std::max(begin, end), 1, where);
  Axes low(static_cast<size_t>(x.ndim()), 0);
  Axes high = low;
  high.back() = length - kept.size(-1);
  return high.back() == 0 ? kept : pad(kept, low, high, 0, where);
}

}  // namespace

Tensor hann_window(int64_t n, bool periodic, DType dtype, Where where) {
  return cosine_window("fft.hann_window", {0.5, 0.5}, n, periodic, dtype, where);
}

Tensor hamming_window(int64_t n, bool periodic, DType dtype, Where where) {
  return cosine_window("fft.hamming_window", {0.54, 0.46}, n, periodic, dtype, where);
}

Tensor blackman_window(int64_t n, bool periodic, DType dtype, Where where) {
  return cosine_window("fft.blackman_window", {0.42, 0.5, 0.08}, n, periodic, dtype, where);
}

Tensor stft(const Tensor& x, const StftOptions& options, Where where) {
  if (!x.defined() || x.ndim() == 0 || !is_float(x.dtype())) {
    const std::string got = x.defined() ? to_string(x.type()) : "an undefined tensor";
    throw Error(where, "fft.stft", fmt::format("needs signals of floats, got {}", got));
  }
  const Frames frames("fft.stft", options, x.dtype(), where);
  const int64_t length = x.size(-1);
  const int64_t padded = length + 2 * frames.margin;
  if (padded < frames.n || frames.margin >= length) {
    constexpr auto kText = "{} is too short for frames of {} samples";
    throw Error(where, "fft.stft", fmt::format(kText, x.type(), frames.n));
  }
  const int64_t count = (padded - frames.n) / frames.hop + 1;
  const Tensor places =
      Operand(detail::positions_of(frames.windows(count), where), where) - frames.margin;
  const Tensor samples = take(x, mirrored(places, length, where), x.ndim() - 1, where);
  const Tensor weighted = Operand(samples, where) * frames.window;
  const FftOptions one{.norm = norm_of(options)};
  const Tensor spectra =
      options.onesided ? rfft(weighted, one, where) : fft(complex(weighted, where), one, where);
  return transpose(spectra, -3, -2, where);
}

Tensor istft(const Tensor& z,
             const StftOptions& options,
             std::optional<int64_t> length,
             Where where) {
  const Tensor half = imag(z, where);  // checks that z is complex
  const Frames frames("fft.istft", options, z.dtype(), where);
  const int64_t expected = options.onesided ? frames.n / 2 + 1 : frames.n;
  if (half.ndim() < 2 || half.size(-2) != expected || half.size(-1) == 0) {
    constexpr auto kText = "needs {} frequencies and some frames, got {}";
    throw Error(where, "fft.istft", fmt::format(kText, expected, z.type()));
  }
  const Tensor spectra = transpose(z, -3, -2, where);
  const FftOptions one{.n = frames.n, .norm = norm_of(options)};
  const Tensor samples =
      options.onesided ? irfft(spectra, one, where) : real(ifft(spectra, one, where), where);
  const int64_t count = samples.size(-2);
  const int64_t total = frames.n + frames.hop * (count - 1);
  const Tensor sums = overlapped(frames, Operand(samples, where) * frames.window, total);
  const Tensor squares = broadcast_to(square(frames.window, where), {count, frames.n}, where);
  const Tensor weights = overlapped(frames, squares, total);
  constexpr double kNothing = 1e-11;
  const Tensor safe = wick::where(Operand(weights, where) > kNothing, weights, Operand(1, where));
  const int64_t kept = length.value_or(total - 2 * frames.margin);
  return part_of(Operand(sums, where) / safe, frames.margin, kept, where);
}

}  // namespace wick::fft
