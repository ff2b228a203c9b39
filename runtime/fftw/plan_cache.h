#pragma once

// FFTW's plans for float and double, kept by what they are for. Any thread may ask and execute.

#include <cstdint>
#include <memory>
#include <vector>

#include <fftw3.h>

namespace wick::runtime::fftw {

enum class Kind : int8_t { forward, inverse, real_to_complex, complex_to_real };

/// Extent and strides of an axis, in elements of input and output: complex or real numbers.
struct Axis {
  int64_t extent = 0;
  int64_t input_stride = 0;
  int64_t output_stride = 0;

  friend auto operator<=>(const Axis&, const Axis&) = default;
};

struct Problem {
  Kind kind = Kind::forward;
  bool is_aligned = true;    // both buffers, for vector instructions
  std::vector<Axis> axes;    // transformed
  std::vector<Axis> others;  // looped over

  friend auto operator<=>(const Problem&, const Problem&) = default;
};

/// A plan that can be executed on any buffers of the problem's alignment. Never writes its input.
template <typename T>
class Plan {
 public:
  virtual ~Plan() = default;
  virtual void execute(const T* input, T* output) const = 0;
};

/// Made by FFTW_ESTIMATE, so that results do not depend on timings, and kept.
template <typename T>
std::shared_ptr<const Plan<T>> plan_of(const Problem& problem);

/// Whether the address is as good for vector instructions as freshly allocated memory.
template <typename T>
bool is_aligned(const T* data);

}  // namespace wick::runtime::fftw
