#include "wick/runtime/onednn/batch_split.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "wick/runtime/division.h"
#include "wick/runtime/parallel.h"

namespace wick::runtime::onednn {
namespace {

constexpr int64_t kMostParts = 16;                           // keeps that many cores busy
constexpr int64_t kMostPartialElements = int64_t{1} << 24U;  // 64 MiB of partial sums
constexpr int64_t kAddGrain = 16384;

/// So many that the partial sums are no larger than what is summed, but two where that can be.
int64_t number_of_parts(const BatchSum& sum) {
  const int64_t result = std::max<int64_t>(1, sum.result_elements);
  const int64_t summed = sum.images * (sum.first_stride + sum.second_stride);
  const int64_t affordable = std::min(kMostPartialElements / result, kMostParts);
  return std::clamp<int64_t>(
      std::min(affordable, std::max<int64_t>(2, summed / result)), 1, sum.images);
}

class BatchSplit final : public HostCall {
 public:
  explicit BatchSplit(const BatchSum& sum)
      : images_(sum.images),
        first_stride_(sum.first_stride),
        second_stride_(sum.second_stride),
        elements_(sum.result_elements),
        parts_(number_of_parts(sum)) {
    make_parts(sum);
    implementation_ = fmt::format("{}, batch in {}", small_->implementation(), parts_);
    partial_bytes_ = aligned(static_cast<size_t>(elements_) * sizeof(float));
    part_bytes_ = partial_bytes_ + std::max(aligned(small_->scratch_bytes()),
                                            large_ ? aligned(large_->scratch_bytes()) : 0);
    finish_offset_ = static_cast<size_t>(parts_) * part_bytes_;
  }

  std::string_view implementation() const override { return implementation_; }

  size_t scratch_bytes() const override {
    return finish_offset_ + (finish_ ? finish_->scratch_bytes() : 0);
  }

  void run(const void* const* operands, void* result, std::byte* scratch) const override {
    auto* total = finish_ ? partial(scratch, 0) : static_cast<float*>(result);
    parallel_for(parts_, [&](int64_t part) {
      const ThreadCountScope one_thread(1);
      run_part(operands, part == 0 ? total : partial(scratch, part), scratch, part);
    });
    parallel_ranges(elements_, kAddGrain, [&](int64_t begin, int64_t end) {
      for (int64_t part = 1; part < parts_; ++part) {
        const float* from = partial(scratch, part);
        for (int64_t i = begin; i < end; ++i)
          total[i] += from[i];
      }
    });
    if (!finish_) return;
    const void* const sums[] = {total};
    finish_->run(sums, result, scratch + finish_offset_);
  }

 private:
  void make_parts(const BatchSum& sum) {
    const ThreadCountScope one_thread(1);
    PrimitiveSpec small = sum.part(images_ / parts_);
    std::optional<PrimitiveSpec> large;
    if (images_ % parts_ != 0) large = sum.part(images_ / parts_ + 1);
    const dnnl::memory::desc wanted = small.result.wanted;
    const dnnl::memory::desc plain = small.result.plain;
    const bool parts_agree = !large || large->result.wanted == wanted;
    if (parts_ > 1 && wanted != plain && parts_agree && is_dense(wanted)) {
      small.result.plain = wanted;
      if (large) large->result.plain = wanted;
      elements_ = static_cast<int64_t>(wanted.get_size() / sizeof(float));
      finish_ = make_reorder(wanted, plain);
    }
    small_ = make_primitive_call(std::move(small));
    if (large) large_ = make_primitive_call(std::move(*large));
  }

  /// Sums of such memory are those of its elements.
  static bool is_dense(const dnnl::memory::desc& desc) {
    return desc.data.format_kind == dnnl_blocked;
  }

  /// The first images % parts parts take one image more.
  void run_part(const void* const* operands, float* out, std::byte* scratch, int64_t part) const {
    const int64_t longer = images_ % parts_;
    const int64_t image = part * (images_ / parts_) + std::min(part, longer);
    const void* const pointers[] = {
        static_cast<const float*>(operands[0]) + image * first_stride_,
        static_cast<const float*>(operands[1]) + image * second_stride_};
    const HostCall& call = part < longer ? *large_ : *small_;
    call.run(pointers, out, scratch + static_cast<size_t>(part) * part_bytes_ + partial_bytes_);
  }

  float* partial(std::byte* scratch, int64_t part) const {
    return reinterpret_cast<float*>(scratch + static_cast<size_t>(part) * part_bytes_);
  }

  int64_t images_;
  int64_t first_stride_;
  int64_t second_stride_;
  int64_t elements_;
  int64_t parts_;
  std::unique_ptr<HostCall> small_;
  std::unique_ptr<HostCall> large_;   // null when the batch divides evenly
  std::unique_ptr<HostCall> finish_;  // from the parts' format; null when they have none
  size_t finish_offset_ = 0;          // of its scratch
  std::string implementation_;
  size_t partial_bytes_ = 0;
  size_t part_bytes_ = 0;
};

}  // namespace

std::unique_ptr<HostCall> make_batch_split(const BatchSum& sum) {
  return std::make_unique<BatchSplit>(sum);
}

}  // namespace wick::runtime::onednn
