#pragma once

// Discrete Fourier transforms by FFTW: X[k] = sum over j of x[j] exp(-2 pi i j k / n), as NumPy and
// PyTorch define them.
//
// Wick has no complex dtype: a complex tensor has a last axis of two, the real and the imaginary
// part. `axis` and `axes` do not count that axis: -1 is the one before it. Types are f32 and f64;
// f16 and bf16 compute in f32. Gradients are of any order and take the two parts as two variables.

#include <optional>

#include "wick/tensor/ops.h"

namespace wick::fft {

// Complex numbers.

/// [...] and [...], of one shape, as one complex [..., 2].
Tensor complex(const Tensor& real, const Tensor& imag, Where where = Where::current());
/// With no imaginary part.
Tensor complex(const Tensor& real, Where where = Where::current());
Tensor real(const Tensor& z, Where where = Where::current());
Tensor imag(const Tensor& z, Where where = Where::current());
Tensor conj(const Tensor& z, Where where = Where::current());
/// |z|; the gradient at 0 is 0.
Tensor magnitude(const Tensor& z, Where where = Where::current());
/// Complex product, broadcasting.
Tensor multiply(const Tensor& a, const Tensor& b, Where where = Where::current());

// Transforms.

/// Which direction divides: by n the backward one, by sqrt(n) both, or by n the forward one.
enum class Norm { backward, ortho, forward };

struct FftOptions {
  std::optional<int64_t> n = {};  // the axis is cropped or padded with zeros to this first
  int axis = -1;
  Norm norm = Norm::backward;
};

struct FftnOptions {
  Axes sizes = {};  // as n, for each of the axes; empty: as they are
  Axes axes = {};   // empty: all, or the last as many as there are sizes
  Norm norm = Norm::backward;
};

/// Of complex x; for real ones rfft, or complex(x).
Tensor fft(const Tensor& x, const FftOptions& options = {}, Where where = Where::current());
Tensor ifft(const Tensor& x, const FftOptions& options = {}, Where where = Where::current());
/// Of real x [..., n]: the first n / 2 + 1 complex numbers; the others are their conjugates.
Tensor rfft(const Tensor& x, const FftOptions& options = {}, Where where = Where::current());
/// Inverse of rfft: `n` real numbers, by default 2 (m - 1) for m complex ones. Ignores the
/// imaginary part of the first and, for even n, of the last.
Tensor irfft(const Tensor& x, const FftOptions& options = {}, Where where = Where::current());
/// The real transform of x that equals its own reversed conjugate, given the first half of it.
Tensor hfft(const Tensor& x, const FftOptions& options = {}, Where where = Where::current());
/// Inverse of hfft.
Tensor ihfft(const Tensor& x, const FftOptions& options = {}, Where where = Where::current());

// Over several axes, by default all; the 2-D forms, with no axes given, over the last two. Of a
// real transform the last of the axes is the one of which half is kept.
Tensor fftn(const Tensor& x, const FftnOptions& options = {}, Where where = Where::current());
Tensor ifftn(const Tensor& x, const FftnOptions& options = {}, Where where = Where::current());
Tensor rfftn(const Tensor& x, const FftnOptions& options = {}, Where where = Where::current());
Tensor irfftn(const Tensor& x, const FftnOptions& options = {}, Where where = Where::current());
Tensor fft2(const Tensor& x, const FftnOptions& options = {}, Where where = Where::current());
Tensor ifft2(const Tensor& x, const FftnOptions& options = {}, Where where = Where::current());
Tensor rfft2(const Tensor& x, const FftnOptions& options = {}, Where where = Where::current());
Tensor irfft2(const Tensor& x, const FftnOptions& options = {}, Where where = Where::current());

// Frequencies.

/// Of the n results of fft for samples d apart: 0, 1, ..., -2, -1 over d n.
Tensor fftfreq(int64_t n, double d = 1, DType dtype = DType::f32, Where where = Where::current());
/// Of the n / 2 + 1 results of rfft.
Tensor rfftfreq(int64_t n, double d = 1, DType dtype = DType::f32, Where where = Where::current());
/// Moves frequency 0 to the middle of the axes, by default all. Here the axis of two of a complex
/// tensor counts: name the others.
Tensor fftshift(const Tensor& x, Axes axes = {}, Where where = Where::current());
/// Inverse of fftshift.
Tensor ifftshift(const Tensor& x, Axes axes = {}, Where where = Where::current());

// Spectrograms.

/// Raised cosines of n values, with a period of n or, if not `periodic`, symmetric.
Tensor hann_window(int64_t n,
                   bool periodic = true,
                   DType dtype = DType::f32,
                   Where where = Where::current());
Tensor hamming_window(int64_t n,
                      bool periodic = true,
                      DType dtype = DType::f32,
                      Where where = Where::current());

Tensor blackman_window(int64_t n,
                       bool periodic = true,
                       DType dtype = DType::f32,
                       Where where = Where::current());

struct StftOptions {
  int64_t n = 0;                    // samples a frame
  std::optional<int64_t> hop = {};  // between frames; by default n / 4
  Tensor window = {};               // up to n values, centred in the frame; by default ones
  bool center = true;       // frames lie around their times, the signal mirrored at its ends
  bool normalized = false;  // divide by sqrt(n)
  bool onesided = true;     // rfft, else fft
};

/// Short-time Fourier transform of real signals [..., length]: complex [..., frequencies, frames,
/// 2].
Tensor stft(const Tensor& x, const StftOptions& options, Where where = Where::current());
/// The signals of which z is the transform, by least squares (Griffin and Lim, 1984): overlapping
/// frames added and divided by the sum of squared windows, where that is not 0. `length` crops or
/// pads the result, which by default ends with the last frame, or in its middle if `center`.
Tensor istft(const Tensor& z,
             const StftOptions& options,
             std::optional<int64_t> length = std::nullopt,
             Where where = Where::current());

}  // namespace wick::fft
