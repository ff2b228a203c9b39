#include "wick/runtime/fftw/plan_cache.h"

#include <map>
#include <mutex>
#include <stdexcept>
#include <type_traits>

namespace wick::runtime::fftw {
namespace {

/// FFTW's planner must not run twice at a time, in whichever precision.
std::mutex& planner_mutex() {
  static auto* const mutex = new std::mutex;  // NOLINT: threads may outlive static destructors.
  return *mutex;
}

/// FFTW's names for an element type.
template <typename T>
struct Names;

template <>
struct Names<float> {
  using Plan = fftwf_plan;
  using Complex = fftwf_complex;
  static constexpr auto kC2c = fftwf_plan_guru64_dft;
  static constexpr auto kR2c = fftwf_plan_guru64_dft_r2c;
  static constexpr auto kC2r = fftwf_plan_guru64_dft_c2r;
  static constexpr auto kExecuteC2c = fftwf_execute_dft;
  static constexpr auto kExecuteR2c = fftwf_execute_dft_r2c;
  static constexpr auto kExecuteC2r = fftwf_execute_dft_c2r;
  static constexpr auto kDestroy = fftwf_destroy_plan;
  static constexpr auto kAlignment = fftwf_alignment_of;
  static constexpr auto kAllocate = fftwf_alloc_real;
  static constexpr auto kFree = fftwf_free;
};

template <>
struct Names<double> {
  using Plan = fftw_plan;
  using Complex = fftw_complex;
  static constexpr auto kC2c = fftw_plan_guru64_dft;
  static constexpr auto kR2c = fftw_plan_guru64_dft_r2c;
  static constexpr auto kC2r = fftw_plan_guru64_dft_c2r;
  static constexpr auto kExecuteC2c = fftw_execute_dft;
  static constexpr auto kExecuteR2c = fftw_execute_dft_r2c;
  static constexpr auto kExecuteC2r = fftw_execute_dft_c2r;
  static constexpr auto kDestroy = fftw_destroy_plan;
  static constexpr auto kAlignment = fftw_alignment_of;
  static constexpr auto kAllocate = fftw_alloc_real;
  static constexpr auto kFree = fftw_free;
};

std::vector<fftw_iodim64> dims_of(const std::vector<Axis>& axes) {
  std::vector<fftw_iodim64> dims;
  for (const Axis& axis : axes)
    dims.push_back({axis.extent, axis.input_stride, axis.output_stride});
  return dims;
}

template <typename T>
class FftwPlan final : public Plan<T> {
 public:
  explicit FftwPlan(const Problem& problem) : kind_(problem.kind) {
    // Planning looks at the addresses' alignment, and FFTW_ESTIMATE at nothing behind them.
    const Memory input(Names<T>::kAllocate(2));
    const Memory output(Names<T>::kAllocate(2));
    plan_ = make(problem, input.get(), output.get());
    if (plan_ == nullptr) throw std::runtime_error("FFTW has no plan for it");
  }

  FftwPlan(const FftwPlan&) = delete;
  FftwPlan& operator=(const FftwPlan&) = delete;

  ~FftwPlan() override {
    const std::lock_guard lock(planner_mutex());
    Names<T>::kDestroy(plan_);
  }

  void execute(const T* input, T* output) const override {
    T* const from = const_cast<T*>(input);  // NOLINT: FFTW_PRESERVE_INPUT
    switch (kind_) {
      case Kind::forward:
      case Kind::inverse:
        return Names<T>::kExecuteC2c(plan_, complex(from), complex(output));
      case Kind::real_to_complex:
        return Names<T>::kExecuteR2c(plan_, from, complex(output));
      case Kind::complex_to_real:
        return Names<T>::kExecuteC2r(plan_, complex(from), output);
    }
  }

 private:
  struct Free {
    void operator()(T* memory) const { Names<T>::kFree(memory); }
  };

  using Memory = std::unique_ptr<T, Free>;
  using Complex = typename Names<T>::Complex;

  static Complex* complex(T* data) { return reinterpret_cast<Complex*>(data); }

  static typename Names<T>::Plan make(const Problem& problem, T* input, T* output) {
    const std::vector<fftw_iodim64> axes = dims_of(problem.axes);
    const std::vector<fftw_iodim64> others = dims_of(problem.others);
    const auto rank = static_cast<int>(axes.size());
    const auto loops = static_cast<int>(others.size());
    const unsigned flags =
        FFTW_ESTIMATE | FFTW_PRESERVE_INPUT | (problem.is_aligned ? 0U : FFTW_UNALIGNED);
    const std::lock_guard lock(planner_mutex());
    switch (problem.kind) {
      case Kind::forward:
      case Kind::inverse:
        return Names<T>::kC2c(rank,
                              axes.data(),
                              loops,
                              others.data(),
                              complex(input),
                              complex(output),
                              problem.kind == Kind::inverse ? FFTW_BACKWARD : FFTW_FORWARD,
                              flags);
      case Kind::real_to_complex:
        return Names<T>::kR2c(
            rank, axes.data(), loops, others.data(), input, complex(output), flags);
      case Kind::complex_to_real:
        return Names<T>::kC2r(
            rank, axes.data(), loops, others.data(), complex(input), output, flags);
    }
    return nullptr;
  }

  Kind kind_;
  typename Names<T>::Plan plan_ = nullptr;
};

template <typename T>
class Cache {
 public:
  static Cache& instance() {
    static auto* const cache = new Cache;  // NOLINT: threads may outlive static destructors.
    return *cache;
  }

  std::shared_ptr<const Plan<T>> get(const Problem& problem) {
    const std::lock_guard lock(mutex_);
    constexpr size_t kMany = 512;  // a program of ever new shapes must not grow for ever
    if (plans_.size() >= kMany && !plans_.contains(problem)) plans_.clear();
    std::shared_ptr<const Plan<T>>& plan = plans_[problem];
    if (plan == nullptr) plan = std::make_shared<FftwPlan<T>>(problem);
    return plan;
  }

 private:
  std::mutex mutex_;
  // Shared with calls that still execute when the cache is cleared.
  std::map<Problem, std::shared_ptr<const Plan<T>>> plans_;
};

}  // namespace

template <typename T>
std::shared_ptr<const Plan<T>> plan_of(const Problem& problem) {
  return Cache<T>::instance().get(problem);
}

template <typename T>
bool is_aligned(const T* data) {
  return Names<T>::kAlignment(const_cast<T*>(data)) == 0;  // NOLINT: reads the address only
}

template std::shared_ptr<const Plan<float>> plan_of(const Problem& problem);
template std::shared_ptr<const Plan<double>> plan_of(const Problem& problem);
template bool is_aligned(const float* data);
template bool is_aligned(const double* data);

}  // namespace wick::runtime::fftw
