#include "wick/runtime/direct_matmul.h"

#include <algorithm>
#include <limits>

#include "wick/runtime/direct_gemm.h"
#include "wick/runtime/division.h"
#include "wick/runtime/dot_gemm.h"

namespace wick::runtime {
namespace {

/// Vectors lie best along what is stored side by side.
MatmulShape with_vectors_as_rows(MatmulShape shape) {
  if (shape.m == 1) shape.transpose_lhs = false;
  if (shape.n == 1) shape.transpose_rhs = true;
  return shape;
}

/// What a summand of all elements takes, in multiplications of vectors.
struct Costs {
  double along_columns;
  double along_rows;
  double along_summands;
};

/// Measured on an EPYC with AVX-512 (Zen 4): to copy an element of a transposed rhs takes half a
/// multiplication, and of few columns one; to store a vector three, or 0.4 for each element that is
/// transposed before; to sum up a vector six. Dot products wait for loads more than half as long as
/// for multiplications.
Costs costs_of(const MatmulShape& shape, int64_t lanes) {
  constexpr double kNever = std::numeric_limits<double>::infinity();
  const auto vectors = [lanes](int64_t extent) {
    return static_cast<double>(ceil_div(extent, lanes));
  };
  const auto m = static_cast<double>(shape.m);
  const auto n = static_cast<double>(shape.n);
  const auto k = static_cast<double>(shape.k);
  Costs costs{.along_columns = m * vectors(shape.n) * (1 + 3 / k),
              .along_rows = kNever,
              .along_summands = 1.6 * m * n / static_cast<double>(lanes) + 6 * m * n / k};
  constexpr int64_t kPage = 1024;  // elements: rows so far apart meet in few lines of the cache
  if (!shape.transpose_lhs && shape.k % kPage == 0) costs.along_columns *= 1.6;
  if (shape.transpose_rhs) costs.along_columns += n / 2;
  if (shape.transpose_lhs) costs.along_rows = 1.1 * n * vectors(shape.m) + 0.4 * m * n / k;
  if (shape.transpose_lhs) costs.along_summands += shape.m > kFewDotRows ? kNever : m;
  if (!shape.transpose_rhs) costs.along_summands += shape.n > kFewDotRows ? kNever : n;
  if (shape.transpose_lhs && !shape.transpose_rhs) costs.along_summands = kNever;
  return costs;
}

const GemmLibrary<float>& cheapest(const MatmulShape& shape, int64_t lanes) {
  const Costs costs = costs_of(shape, lanes);
  if (costs.along_summands < std::min(costs.along_columns, costs.along_rows))
    return lanes == 16 ? dot_gemm<16>() : dot_gemm<8>();
  const DirectGemms& gemms = lanes == 16 ? direct_gemms<16>() : direct_gemms<8>();
  return costs.along_rows < costs.along_columns ? gemms.along_rows : gemms.along_columns;
}

}  // namespace

bool may_be_direct(const MatmulShape& shape) {
  constexpr int64_t kNarrow = 32;
  constexpr int64_t kFewMultiplications = int64_t{1} << 22U;
  constexpr int64_t kFewForWideVectors = int64_t{1} << 29U;
  if (!have_vectors()) return false;
  const int64_t multiplications = shape.m * shape.n * shape.k;
  if (multiplications <= kFewMultiplications) return true;
  const int64_t narrow = std::min(shape.m, shape.n);
  const bool is_for_wide = vector_lanes() == 16 && multiplications <= kFewForWideVectors;
  return narrow > 1 && (narrow <= kNarrow || is_for_wide);
}

bool is_best_direct(const MatmulShape& shape) {
  constexpr int64_t kFewRows = 4;
  constexpr int64_t kShortSum = 8;
  constexpr int64_t kManyElements = 1024;
  constexpr int64_t kManyMultiplications = int64_t{1} << 25U;
  if (!may_be_direct(shape)) return false;
  if (shape.m * shape.n * shape.k > kManyMultiplications) return false;
  // Of these oneDNN loads, or stores, in a better order.
  const int64_t many_columns = shape.transpose_rhs ? 32 : 256;
  if (shape.m < kFewRows && shape.n > many_columns && !shape.transpose_lhs) return false;
  const bool is_narrow = std::min(shape.m, shape.n) < kShortSum;
  if (shape.k < kShortSum && shape.m * shape.n > kManyElements && !is_narrow) return false;
  if (vector_lanes() == 16) return true;
  constexpr int64_t kNarrow = 16;
  constexpr int64_t kLongSum = 128;
  constexpr int64_t kSmall = 2048;
  if (std::min(shape.m, shape.n) < kNarrow) return true;
  return shape.k >= kLongSum && shape.m * shape.n <= kSmall;  // else copies pay, with AVX2
}

std::unique_ptr<HostCall> make_direct_matmul(MatmulShape shape, int64_t lanes) {
  shape = with_vectors_as_rows(std::move(shape));
  const RowStrides strides{shape.lda(), shape.ldb()};
  const GemmLibrary<float>& library = cheapest(shape, lanes);
  return std::make_unique<GemmCall<float>>(library, std::move(shape), strides);
}

}  // namespace wick::runtime
