// Compiled for the machine that it runs on, vectors included.

#include "harness/stream.h"

#include <algorithm>
#include <new>

#include "harness/turns.h"
#include <immintrin.h>
#include <omp.h>
#include <sys/mman.h>

namespace wick::bench {

namespace {

#ifdef __AVX512F__
using Vector = __m512;

void stream(float* to, Vector value) {
  _mm512_stream_ps(to, value);
}
#elif defined(__AVX__)
using Vector = __m256;

void stream(float* to, Vector value) {
  _mm256_stream_ps(to, value);
}
#else
using Vector = __m128;

void stream(float* to, Vector value) {
  _mm_stream_ps(to, value);
}
#endif

constexpr size_t kLanes = sizeof(Vector) / sizeof(float);
constexpr size_t kUnroll = 8;  // loads in flight
constexpr size_t kStep = kUnroll * kLanes;
constexpr size_t kHugePage = size_t{2} << 20U;

Vector load(const float* from) {
  return *reinterpret_cast<const Vector*>(from);
}

enum class Store : bool { cached, streaming };

template <Store kStore>
void copy(const float* from, float* to, size_t count) {
  for (size_t i = 0; i < count; i += kStep) {
    for (size_t j = 0; j < kStep; j += kLanes) {
      if constexpr (kStore == Store::streaming) {
        stream(to + i + j, load(from + i + j));
      } else {
        *reinterpret_cast<Vector*>(to + i + j) = load(from + i + j);
      }
    }
  }
  if constexpr (kStore == Store::streaming) _mm_sfence();
}

float sum(const float* from, size_t count) {
  Vector sums[kUnroll] = {};
  for (size_t i = 0; i < count; i += kStep) {
    for (size_t j = 0; j < kUnroll; ++j)
      sums[j] += load(from + i + j * kLanes);
  }
  Vector total = {};
  for (const Vector& each : sums)
    total += each;
  float result = 0;
  for (size_t lane = 0; lane < kLanes; ++lane)
    result += total[lane];
  return result;
}

/// Calls `work` with the beginning and length of each thread's part.
template <typename Work>
void on_all_threads(size_t size, Work work) {
#pragma omp parallel
  {
    const auto threads = static_cast<size_t>(omp_get_num_threads());
    const auto thread = static_cast<size_t>(omp_get_thread_num());
    const size_t steps = size / kStep;
    const size_t begin = steps * thread / threads * kStep;
    const size_t end = steps * (thread + 1) / threads * kStep;
    work(begin, end - begin);
  }
}

}  // namespace

StreamBuffer::StreamBuffer(size_t bytes)
    : size_((bytes / sizeof(float) + kStep - 1) / kStep * kStep),
      data_(
          static_cast<float*>(::operator new(size_ * sizeof(float), std::align_val_t(kHugePage)))) {
  madvise(data_, size_ * sizeof(float), MADV_HUGEPAGE);
  on_all_threads(size_,
                 [&](size_t begin, size_t count) { std::fill_n(data_ + begin, count, 1.0F); });
}

StreamBuffer::~StreamBuffer() {
  ::operator delete(data_, std::align_val_t(kHugePage));
}

double time_copy(const StreamBuffer& from, StreamBuffer& to) {
  const auto time = [&](auto part) {
    return time_ms([&] {
      on_all_threads(from.size(), [&](size_t begin, size_t count) {
        part(from.data() + begin, to.data() + begin, count);
      });
    });
  };
  return std::min(time(copy<Store::cached>), time(copy<Store::streaming>));
}

double time_read(const StreamBuffer& from) {
  return time_ms([&] {
    on_all_threads(from.size(), [&](size_t begin, size_t count) {
      volatile float kept = sum(from.data() + begin, count);
      static_cast<void>(kept);
    });
  });
}

}  // namespace wick::bench
