#pragma once

// Winograd's algorithm along an axis. A transform's rows are a matrix; what a square becomes is the
// product of that with the square and with the matrix transposed. With B, G and A the matrices of
// the algorithm: outputs are A^T [(G w G^T) * (B^T x B)] A, and by the chain rule the windows'
// gradient is G^T [(B^T x B) * (A y A^T)] G. Internal to winograd_tiles.cpp.

#include "wick/runtime/vector_lanes.h"

namespace wick::runtime::winograd {
inline namespace WICK_LANES_NAMESPACE {

/// The points 0, a, -a, b, -b and infinity. Squares are exact, and errors are half those of the
/// usual 0, 1, -1, 2, -2.
struct SixPoints {
  static constexpr int64_t kCount = 6;
  static constexpr int64_t kZeros = 1;  // points that are 0
  static constexpr float kA = 0.625F;
  static constexpr float kB = 1.5F;
  static constexpr float kAA = kA * kA;
  static constexpr float kBB = kB * kB;
  // What G divides the powers of a point by: the product of its differences to the other points.
  static constexpr float kAtZero = 1 / (kAA * kBB);
  static constexpr float kAtA = 1 / (2 * kAA * (kAA - kBB));
  static constexpr float kAtB = 1 / (2 * kBB * (kBB - kAA));

  /// B^T: row j has the coefficients of the product of all x - p but that of point j.
  WICK_INLINE_VECTORS static void of_inputs(const Floats* in, Floats* out) {
    const Floats even_a = in[4] - kBB * in[2];
    const Floats odd_a = in[3] - kBB * in[1];
    const Floats even_b = in[4] - kAA * in[2];
    const Floats odd_b = in[3] - kAA * in[1];
    out[0] = even_b - kBB * (in[2] - kAA * in[0]);
    out[1] = even_a + kA * odd_a;
    out[2] = even_a - kA * odd_a;
    out[3] = even_b + kB * odd_b;
    out[4] = even_b - kB * odd_b;
    out[5] = in[5] - kAA * in[3] - kBB * odd_b;
  }
};

/// a, -a, b, -b and infinity; the rows of B^T and of G for -a and -b are negated.
struct FivePoints {
  static constexpr int64_t kCount = 5;
  static constexpr int64_t kZeros = 0;
  static constexpr float kA = 0.4375F;
  static constexpr float kB = 1.25F;
  static constexpr float kAA = kA * kA;
  static constexpr float kBB = kB * kB;
  static constexpr float kAtA = 1 / (2 * kA * (kAA - kBB));
  static constexpr float kAtB = 1 / (2 * kB * (kBB - kAA));

  WICK_INLINE_VECTORS static void of_inputs(const Floats* in, Floats* out) {
    const Floats even_a = in[2] - kBB * in[0];
    const Floats odd_a = in[3] - kBB * in[1];
    const Floats even_b = in[2] - kAA * in[0];
    const Floats odd_b = in[3] - kAA * in[1];
    out[0] = kA * even_a + odd_a;
    out[1] = kA * even_a - odd_a;
    out[2] = kB * even_b + odd_b;
    out[3] = kB * even_b - odd_b;
    out[4] = in[4] - kAA * in[2] - kBB * even_b;
  }
};

template <class Points>
struct Inputs {
  static constexpr int64_t kIn = Points::kCount;
  static constexpr int64_t kOut = Points::kCount;

  WICK_INLINE_VECTORS static void apply(const Floats* in, Floats* out) {
    Points::of_inputs(in, out);
  }
};

/// A polynomial of so many coefficients at all points: A, or G, which scales.
template <class Points, int64_t kTerms, bool kScales>
struct Evaluation {
  static constexpr int64_t kIn = kTerms;
  static constexpr int64_t kOut = Points::kCount;

  WICK_INLINE_VECTORS static void apply(const Floats* in, Floats* out) {
    if constexpr (Points::kZeros == 1) out[0] = (kScales ? Points::kAtZero : 1) * in[0];
    at_both_signs(in, Points::kA, kScales ? Points::kAtA : 1, out + Points::kZeros);
    at_both_signs(in, Points::kB, kScales ? Points::kAtB : 1, out + Points::kZeros + 2);
    out[kOut - 1] = in[kTerms - 1];
  }

 private:
  WICK_INLINE_VECTORS static void at_both_signs(const Floats* in,
                                                float point,
                                                float scale,
                                                Floats* out) {
    Floats even = scale * in[0];
    Floats odd = scale * point * in[1];
    float power = scale * point * point;
    for (int64_t i = 2; i < kTerms; i += 2, power *= point * point) {
      even += power * in[i];
      if (i + 1 < kTerms) odd += power * point * in[i + 1];
    }
    out[0] = even + odd;
    out[1] = even - odd;
  }
};

/// The transposed: A^T or G^T. Element i sums the points to the power of i.
template <class Points, int64_t kTerms, bool kScales>
struct PowerSums {
  static constexpr int64_t kIn = Points::kCount;
  static constexpr int64_t kOut = kTerms;

  WICK_INLINE_VECTORS static void apply(const Floats* in, Floats* out) {
    const Floats* finite = in + Points::kZeros;
    float of_a = kScales ? Points::kAtA : 1;
    float of_b = kScales ? Points::kAtB : 1;
    const Floats sum_a = finite[0] + finite[1];
    const Floats sum_b = finite[2] + finite[3];
    const Floats difference_a = finite[0] - finite[1];
    const Floats difference_b = finite[2] - finite[3];
    for (int64_t i = 0; i < kTerms; i += 2, of_a *= Points::kAA, of_b *= Points::kBB) {
      out[i] = of_a * sum_a + of_b * sum_b;
      if (i + 1 == kTerms) continue;
      out[i + 1] = of_a * Points::kA * difference_a + of_b * Points::kB * difference_b;
    }
    if constexpr (Points::kZeros == 1) out[0] += (kScales ? Points::kAtZero : 1) * in[0];
    out[kTerms - 1] += in[kIn - 1];
  }
};

/// Windows of 3 with a stride of 2, in tiles of four: the first and last tap by five points, the
/// one between by what it meets. Values and taps of it lie before the point at infinity, so that
/// the last values are those of the last output.
struct Strided {
  static constexpr int64_t kTile = 4;
  static constexpr int64_t kValues = FivePoints::kCount + kTile;
  static constexpr int64_t kFinite = FivePoints::kCount - 1;

  /// Values of the points and of the middle tap.
  WICK_INLINE_VECTORS static void join(const Floats* points, const Floats* middle, Floats* values) {
    for (int64_t i = 0; i < kFinite; ++i)
      values[i] = points[i];
    for (int64_t i = 0; i < kTile; ++i)
      values[kFinite + i] = middle[i];
    values[kValues - 1] = points[kFinite];
  }

  /// The four sums that the points are.
  WICK_INLINE_VECTORS static void sums_of_points(const Floats* values, Floats* sums) {
    const Floats points[] = {values[0], values[1], values[2], values[3], values[kValues - 1]};
    PowerSums<FivePoints, kTile, false>::apply(points, sums);
  }

  struct Inputs {
    static constexpr int64_t kIn = 2 * kTile + 1;
    static constexpr int64_t kOut = kValues;

    WICK_INLINE_VECTORS static void apply(const Floats* in, Floats* out) {
      const Floats outer[] = {in[0], in[2], in[4], in[6], in[8]};
      const Floats middle[] = {in[1], in[3], in[5], in[7]};
      Floats points[FivePoints::kCount];
      FivePoints::of_inputs(outer, points);
      join(points, middle, out);
    }
  };

  struct Outputs {
    static constexpr int64_t kIn = kValues;
    static constexpr int64_t kOut = kTile;

    WICK_INLINE_VECTORS static void apply(const Floats* in, Floats* out) {
      sums_of_points(in, out);
      for (int64_t i = 0; i < kTile; ++i)
        out[i] += in[kFinite + i];
    }
  };

  /// Of the inputs' gradient, whose windows are turned: each cotangent alone gives every other
  /// result, and with its neighbour the next.
  struct Cotangents {
    static constexpr int64_t kIn = kTile + 1;
    static constexpr int64_t kOut = kValues;

    WICK_INLINE_VECTORS static void apply(const Floats* in, Floats* out) {
      Floats points[FivePoints::kCount];
      FivePoints::of_inputs(in, points);
      join(points, in, out);
    }
  };

  struct InputGradients {
    static constexpr int64_t kIn = kValues;
    static constexpr int64_t kOut = 2 * kTile;

    WICK_INLINE_VECTORS static void apply(const Floats* in, Floats* out) {
      Floats sums[kTile];
      sums_of_points(in, sums);
      for (int64_t i = 0; i < kTile; ++i) {
        out[2 * i] = in[kFinite + i];
        out[2 * i + 1] = sums[i];
      }
    }
  };

  struct Windows {
    static constexpr int64_t kIn = 3;
    static constexpr int64_t kOut = FivePoints::kCount + 1;

    WICK_INLINE_VECTORS static void apply(const Floats* in, Floats* out) {
      const Floats outer[] = {in[0], in[2]};
      Floats points[FivePoints::kCount];
      Evaluation<FivePoints, 2, true>::apply(outer, points);
      for (int64_t i = 0; i < kFinite; ++i)
        out[i] = points[i];
      out[kFinite] = in[1];
      out[kFinite + 1] = points[kFinite];
    }
  };

  /// Of the windows' gradient: what outputs are summed with.
  struct WindowCotangents {
    static constexpr int64_t kIn = kTile;
    static constexpr int64_t kOut = kValues;

    WICK_INLINE_VECTORS static void apply(const Floats* in, Floats* out) {
      Floats points[FivePoints::kCount];
      Evaluation<FivePoints, kTile, false>::apply(in, points);
      join(points, in, out);
    }
  };

  struct WindowGradients {
    static constexpr int64_t kIn = FivePoints::kCount + 1;
    static constexpr int64_t kOut = 3;

    WICK_INLINE_VECTORS static void apply(const Floats* in, Floats* out) {
      const Floats points[] = {in[0], in[1], in[2], in[3], in[kFinite + 1]};
      Floats outer[2];
      PowerSums<FivePoints, 2, true>::apply(points, outer);
      out[0] = outer[0];
      out[1] = in[kFinite];
      out[2] = outer[1];
    }
  };
};

}  // namespace WICK_LANES_NAMESPACE
}  // namespace wick::runtime::winograd
