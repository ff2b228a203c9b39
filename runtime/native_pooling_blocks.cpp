// The gradient of max pooling for channels in blocks of 16, one register: what is known of a window
// stays there. By hand, since compilers make scalar code of it.

#include "wick/runtime/pool_shape.h"

#if defined(__x86_64__)

#include <cstring>
#include <limits>

#include <immintrin.h>

namespace wick::runtime {

namespace {

constexpr int64_t kLanes = 16;

/// Input elements of a window that lie inside: [first, last).
struct Span {
  int64_t first;
  int64_t last;
};

Span inside(const PoolAxis& axis, int64_t at) {
  const int64_t start = axis.position(at, 0);
  return {start + axis.first_element(at), start + axis.last_element(at)};
}

/// Adds the cotangent of one window where its first largest element is, or its first NaN.
[[gnu::target("avx512f")]]
void add_window(const PoolShape& shape,
                Span rows,
                Span columns,
                const float* in,
                const float* cotangent,
                float* out) {
  __m512 best = _mm512_set1_ps(-std::numeric_limits<float>::infinity());
  const int64_t first = rows.first * shape.columns.in + columns.first;
  __m512i place = _mm512_set1_epi32(static_cast<int>(first));
  for (int64_t i = rows.first; i < rows.last; ++i) {
    for (int64_t j = columns.first; j < columns.last; ++j) {
      const int64_t at = i * shape.columns.in + j;
      const __m512 value = _mm512_loadu_ps(in + at * kLanes);
      const __mmask16 is_larger = _mm512_cmp_ps_mask(value, best, _CMP_GT_OQ);
      const __mmask16 is_nan = _mm512_cmp_ps_mask(value, value, _CMP_UNORD_Q);
      const __mmask16 is_first = _mm512_cmp_ps_mask(best, best, _CMP_ORD_Q);
      const auto wins = static_cast<__mmask16>(is_larger | (is_nan & is_first));
      best = _mm512_mask_mov_ps(best, wins, value);
      place = _mm512_mask_set1_epi32(place, wins, static_cast<int>(at));
    }
  }
  const __m512 share = _mm512_loadu_ps(cotangent);
  for (int64_t i = rows.first; i < rows.last; ++i) {
    for (int64_t j = columns.first; j < columns.last; ++j) {
      const int64_t at = i * shape.columns.in + j;
      const __m512i here = _mm512_set1_epi32(static_cast<int>(at));
      const __mmask16 is_place = _mm512_cmpeq_epi32_mask(place, here);
      const __m512 sum = _mm512_loadu_ps(out + at * kLanes);
      _mm512_storeu_ps(out + at * kLanes, _mm512_mask_add_ps(sum, is_place, sum, share));
    }
  }
}

void max_pool_grad_blocks(const PoolShape& shape, const float* const* operands, float* result) {
  const float* cotangent = operands[1];
  std::memset(result, 0, static_cast<size_t>(shape.in_plane()) * sizeof(float));
  for (int64_t row = 0; row < shape.rows.out; ++row) {
    const Span rows = inside(shape.rows, row);
    for (int64_t column = 0; column < shape.columns.out; ++column, cotangent += kLanes)
      add_window(shape, rows, inside(shape.columns, column), operands[0], cotangent, result);
  }
}

}  // namespace

PlaneFunction<float> max_pool_grad_in_blocks(int64_t lanes) {
  const bool can = lanes == kLanes && __builtin_cpu_supports("avx512f") != 0;
  return can ? max_pool_grad_blocks : nullptr;
}

}  // namespace wick::runtime

#else

namespace wick::runtime {

PlaneFunction<float> max_pool_grad_in_blocks(int64_t /*lanes*/) {
  return nullptr;
}

}  // namespace wick::runtime

#endif
